import type { ChalkInstance } from 'chalk';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import { cutStart, textWidth } from '../text/width.js';
import type { ProgressReading } from './run-progress.js';
import type { TransferRate } from './transfer-rate.js';

/** A file under way. */
export interface RunningTransfer {
  readonly path: string;
  readonly rate: TransferRate;
  position: number;
  total: number | undefined;
  /** Whether its last try failed, and the next one has brought nothing yet. */
  isWaiting: boolean;
}

/** Widths of what stands side by side: a name, a bar, a size or the time that is left, a rate. */
export interface BarLayout {
  readonly name: number;
  /** With its ends; 0 where there is no room. */
  readonly bar: number;
  readonly size: number;
  /** 0 where there is no room. */
  readonly rate: number;
  readonly gap: string;
  /** Of all of it. */
  readonly width: number;
}

/** `12.3 MB`. */
const SIZE = 7;
/** `12.3 MB/s`. */
const RATE = SIZE + 2;
/** `12.3 MB of 23.4 MB`. */
const SIZES = 2 * SIZE + 4;
const LEAST_BAR = 6;
/** A screen that has room for both sizes of a file. */
const WIDE = 60;
const NARROW = 32;
/** One that has no room for a bar. */
const TINY = 24;

/**
 * A line of bars as wide as the screen, where all bars begin and end below one another.
 * @param columns that lines may take. @param longest columns of the longest name.
 */
export function layoutBars(columns: number, longest: number): BarLayout {
  if (columns < TINY) return { name: columns, bar: 0, size: 0, rate: 0, gap: ' ', width: columns };
  const gap = columns < WIDE ? ' ' : '  ';
  const size = columns < WIDE ? SIZE : SIZES;
  const rate = columns < NARROW ? 0 : RATE;
  const details = gap.length + size + (rate === 0 ? 0 : gap.length + rate);
  const rest = Math.max(0, columns - details - 1);
  // The bar takes what names leave, and a third at least.
  const name = Math.max(0, Math.min(longest, Math.floor((rest * 2) / 3), rest - LEAST_BAR));
  return { name, bar: Math.max(LEAST_BAR, rest - name), size, rate, gap, width: columns };
}

/** How far the whole run is. @param begun what is there of the files under way: 1 for each that is whole. */
export function formatTotalLine(
  { done, total, bytesPerSecond, secondsLeft }: ProgressReading,
  begun: number,
  layout: BarLayout,
  chalk: ChalkInstance,
): string {
  const files = `${done}/${plural(total, 'file')}`;
  const left = secondsLeft === undefined ? '' : formatDuration(secondsLeft * 1000);
  return lineOf(
    {
      name: files.length > layout.name ? `${done}/${total}` : files,
      share: total === 0 ? 1 : Math.min(1, (done + begun) / total),
      details: [left === '' || layout.size < SIZES ? left : `${left} left`, rateText(bytesPerSecond)],
    },
    layout,
    chalk,
  );
}

export function formatTransferLine(
  transfer: RunningTransfer,
  layout: BarLayout,
  chalk: ChalkInstance,
): string {
  const { path, position, total, isWaiting, rate } = transfer;
  const of = total === undefined || layout.size < SIZES ? '' : ` of ${formatSize(total)}`;
  const parts = {
    name: shortPath(path),
    share: transferProgress(transfer),
    details: isWaiting ? ['trying again'] : [`${formatSize(position)}${of}`, rateText(rate.perSecond())],
  };
  return lineOf(parts, layout, chalk);
}

/** How much of a file is there, up to 1; 0 where nobody knows. */
export function transferProgress({ position, total }: RunningTransfer): number {
  return total === undefined || total === 0 ? 0 : Math.min(1, position / total);
}

/** What a file is called here: its end says more than its beginning. */
export function shortPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.csv\.gz$/, '');
}

interface Parts {
  readonly name: string;
  readonly share: number;
  /** A size and a rate, or one text in the place of both. */
  readonly details: readonly string[];
}

function lineOf({ name, share, details: texts }: Parts, layout: BarLayout, chalk: ChalkInstance): string {
  const details = detailsOf(texts, layout);
  if (layout.bar === 0) {
    const left = details === '' ? layout.width : layout.width - details.length - 1;
    return `${cutStart(name, Math.max(1, left))} ${details}`.trimEnd();
  }
  const shown = cutStart(name, layout.name);
  const before = `${shown}${' '.repeat(Math.max(0, layout.name - textWidth(shown)))} `;
  const [full, empty] = barOf(share, layout.bar - 2);
  return `${before}[${chalk.green(full)}${empty}]${layout.gap}${details}`;
}

function detailsOf([size = '', rate]: readonly string[], layout: BarLayout): string {
  if (layout.rate === 0) return size.padStart(layout.size);
  if (rate === undefined) return size.padStart(layout.size + layout.gap.length + layout.rate);
  return `${size.padStart(layout.size)}${layout.gap}${rate.padStart(layout.rate)}`;
}

function rateText(bytesPerSecond: number): string {
  return `${formatSize(bytesPerSecond)}/s`;
}

function barOf(share: number, width: number): readonly [string, string] {
  const full = Math.round(share * width);
  return ['='.repeat(full), ' '.repeat(width - full)];
}
