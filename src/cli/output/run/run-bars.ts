import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../../base/text.js';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import type { RunEvent } from '../../../events/run-events.js';
import { LiveLines } from '../live-lines.js';
import { type OutputScreen, screenColumns } from '../text/screen.js';
import { cutStart, textWidth } from '../text/width.js';
import {
  createTransferRate,
  type ProgressReading,
  type RunProgress,
  type TransferRate,
} from './run-progress.js';

/** The bars of a run on a terminal. */
interface RunBars {
  /** Shows the bars from the first planned or started file on. */
  record(event: RunEvent): void;
  /** Prints text above the bars. */
  print(text: string): void;
  close(): void;
}

/** Progress bars: one for the whole run and one per running file, limited to the height of the screen. */
export function createRunBars(
  screen: OutputScreen,
  progress: RunProgress,
  chalk: ChalkInstance,
  now: () => number,
): RunBars {
  const running = new Map<string, RunningTransfer>();
  // Files take free lines and release them, so that no bar ever moves.
  let lines: (RunningTransfer | undefined)[] = [];
  let longestName = 0;
  /** One row is for the run's bar, and one is left free for the cursor. */
  const maxFileLines = (): number => Math.max(0, (screen.rows || 24) - 2);
  const show = (transfer: RunningTransfer): void => {
    const free = lines.indexOf(undefined);
    if (free >= 0) lines[free] = transfer;
    else if (lines.length < maxFileLines()) lines.push(transfer);
  };
  const hide = (path: string): void => {
    running.delete(path);
    const at = lines.findIndex((transfer) => transfer?.path === path);
    if (at >= 0) lines[at] = [...running.values()].find((transfer) => !lines.includes(transfer));
  };
  /** After a resize, as many lines as fit. */
  const fitLines = (): void => {
    const count = Math.min(maxFileLines(), Math.max(lines.length, running.size));
    if (lines.length === count) return;
    const shown = lines.filter((transfer) => transfer !== undefined);
    const others = [...running.values()].filter((transfer) => !shown.includes(transfer));
    lines = [...shown, ...others].slice(0, count);
  };
  const draw = (): readonly string[] => {
    fitLines();
    // Leave one column free: after a full line, terminals differ in where the cursor is.
    const layout = layoutBars(screenColumns(screen) - 1, longestName);
    const sum = [...running.values()].reduce((sum, transfer) => sum + transferProgress(transfer), 0);
    return [
      formatTotalLine(progress.read(), sum, layout, chalk),
      ...lines.map((transfer) => (transfer ? formatTransferLine(transfer, layout, chalk) : '')),
    ];
  };
  const live = new LiveLines(screen, draw);

  return {
    record(event) {
      // The first files start while the plan is still being counted.
      if (event.event === 'plan') live.open();
      else if (event.event === 'start') {
        live.open();
        const { path } = event;
        const transfer = {
          path,
          rate: createTransferRate(now),
          position: 0,
          total: undefined,
          isWaiting: false,
        };
        running.set(path, transfer);
        longestName = Math.max(longestName, textWidth(shortPath(path)));
        show(transfer);
      } else if (event.event === 'progress') {
        const { path, received, position, total } = event;
        const transfer = running.get(path);
        transfer?.rate.add(received);
        Object.assign(transfer ?? {}, { position, total, isWaiting: false });
      } else if (event.event === 'retry')
        Object.assign(running.get(event.path) ?? {}, { position: 0, total: undefined, isWaiting: true });
      else if (event.event === 'file') {
        hide(event.path);
        if (event.source !== undefined) hide(event.source);
      } else if (event.event === 'day' && event.path !== null) hide(event.path);
    },
    print: (text) => live.print(text),
    close: () => live.close(),
  };
}

/** A file being transferred. */
interface RunningTransfer {
  readonly path: string;
  readonly rate: TransferRate;
  position: number;
  total: number | undefined;
  /** Whether the last attempt failed and the next one has received nothing yet. */
  isWaiting: boolean;
}

/** Widths of the parts of a line: name, bar, size or remaining time, rate. */
interface BarLayout {
  /** Name width. */
  readonly name: number;
  /** With its brackets; 0 if there is no space. */
  readonly bar: number;
  readonly size: number;
  /** 0 if there is no space. */
  readonly rate: number;
  readonly gap: string;
  /** Of the whole line. */
  readonly width: number;
}

/** `12.3 MB`. */
const SIZE_WIDTH = 7;
/** `12.3 MB/s`. */
const RATE_WIDTH = SIZE_WIDTH + 2;
/** `12.3 MB of 23.4 MB`. */
const SIZES_WIDTH = 2 * SIZE_WIDTH + 4;
const MIN_BAR_WIDTH = 6;
/** Minimum columns for both sizes of a file. */
const MIN_WIDE_COLUMNS = 60;
const MIN_RATE_COLUMNS = 32;
/** Minimum columns for a bar. */
const MIN_BAR_COLUMNS = 24;

/**
 * Lays out lines as wide as the screen, with all bars aligned.
 * @param columns available for a line. @param longest columns of the longest name.
 */
function layoutBars(columns: number, longest: number): BarLayout {
  if (columns < MIN_BAR_COLUMNS) return { name: columns, bar: 0, size: 0, rate: 0, gap: ' ', width: columns };
  const gap = columns < MIN_WIDE_COLUMNS ? ' ' : '  ';
  const size = columns < MIN_WIDE_COLUMNS ? SIZE_WIDTH : SIZES_WIDTH;
  const rate = columns < MIN_RATE_COLUMNS ? 0 : RATE_WIDTH;
  const details = gap.length + size + (rate === 0 ? 0 : gap.length + rate);
  const rest = Math.max(0, columns - details - 1);
  // The bar uses the space that names leave, but at least a third.
  const name = Math.max(0, Math.min(longest, Math.floor((rest * 2) / 3), rest - MIN_BAR_WIDTH));
  return { name, bar: Math.max(MIN_BAR_WIDTH, rest - name), size, rate, gap, width: columns };
}

/** Progress of the whole run. @param runningProgress sum of the running files' progress, each up to 1. */
function formatTotalLine(
  { done, total, bytesPerSecond, secondsLeft }: ProgressReading,
  runningProgress: number,
  layout: BarLayout,
  chalk: ChalkInstance,
): string {
  const files = `${done}/${plural(total, 'file')}`;
  const left = secondsLeft === undefined ? '' : formatDuration(secondsLeft * 1000);
  return formatLine(
    {
      name: files.length > layout.name ? `${done}/${total}` : files,
      share: total === 0 ? 1 : Math.min(1, (done + runningProgress) / total),
      details: [left === '' || layout.size < SIZES_WIDTH ? left : `${left} left`, formatRate(bytesPerSecond)],
    },
    layout,
    chalk,
  );
}

function formatTransferLine(transfer: RunningTransfer, layout: BarLayout, chalk: ChalkInstance): string {
  const { path, position, total, isWaiting, rate } = transfer;
  const totalText = total === undefined || layout.size < SIZES_WIDTH ? '' : ` of ${formatSize(total)}`;
  const parts = {
    name: shortPath(path),
    share: transferProgress(transfer),
    details: isWaiting ? ['retrying'] : [`${formatSize(position)}${totalText}`, formatRate(rate.perSecond())],
  };
  return formatLine(parts, layout, chalk);
}

/** Progress of a file, up to 1; 0 if its size is unknown. */
function transferProgress({ position, total }: RunningTransfer): number {
  return total === undefined || total === 0 ? 0 : Math.min(1, position / total);
}

/** The file name without folders and `.csv.gz`; its end is the distinctive part. */
function shortPath(path: string): string {
  return sanitizeForTerminal(path.slice(path.lastIndexOf('/') + 1).replace(/\.csv\.gz$/, ''));
}

interface LineParts {
  readonly name: string;
  readonly share: number;
  /** A size and a rate, or one text instead of both. */
  readonly details: readonly string[];
}

function formatLine(
  { name, share, details: texts }: LineParts,
  layout: BarLayout,
  chalk: ChalkInstance,
): string {
  const details = formatDetails(texts, layout);
  if (layout.bar === 0) {
    const left = details === '' ? layout.width : layout.width - details.length - 1;
    return `${cutStart(name, Math.max(1, left))} ${details}`.trimEnd();
  }
  const shortName = cutStart(name, layout.name);
  const before = `${shortName}${' '.repeat(Math.max(0, layout.name - textWidth(shortName)))} `;
  const [full, empty] = drawBar(share, layout.bar - 2);
  return `${before}[${chalk.green(full)}${empty}]${layout.gap}${details}`;
}

function formatDetails([size = '', rate]: readonly string[], layout: BarLayout): string {
  if (layout.rate === 0) return size.padStart(layout.size);
  if (rate === undefined) return size.padStart(layout.size + layout.gap.length + layout.rate);
  return `${size.padStart(layout.size)}${layout.gap}${rate.padStart(layout.rate)}`;
}

function formatRate(bytesPerSecond: number): string {
  return `${formatSize(bytesPerSecond)}/s`;
}

function drawBar(share: number, width: number): readonly [string, string] {
  const full = Math.round(share * width);
  return ['='.repeat(full), ' '.repeat(width - full)];
}
