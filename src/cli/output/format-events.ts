import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../base/text.js';
import { formatCount, formatDuration, formatSize, plural } from '../../base/units.js';
import type { EstimateBasis, FileEvent, FindingKind, PlanEvent, RunEvent } from '../../events/run-events.js';

type EventNamed<Name extends RunEvent['event']> = Extract<RunEvent, { readonly event: Name }>;

/** One line about a failed or bad file. */
export function formatFailedFile(event: FileEvent, chalk: ChalkInstance): string {
  const attempts = (event.attempts ?? 0) > 1 ? ` (after ${event.attempts} attempts)` : '';
  const message = event.error?.message ?? 'unknown error';
  const { source = event.path } = event;
  const withPath =
    message.startsWith(source) || message.startsWith(event.path) ? message : `${source}: ${message}`;
  return `${chalk.red(event.status)} ${sanitizeForTerminal(withPath)}${attempts}\n`;
}

/** One line about a day whose file cannot be read to its end. */
export function formatCorruptDay(
  { path, condition, error }: EventNamed<'day'>,
  chalk: ChalkInstance,
): string {
  const message = error?.message ?? 'unknown error';
  const withPath = path === null || message.includes(path) ? message : `${path}: ${message}`;
  return `${chalk.red(condition)} ${sanitizeForTerminal(withPath)}\n`;
}

export function formatWarning(event: EventNamed<'warning'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('warning')} ${sanitizeForTerminal(event.message)}\n`;
}

export function formatNote(event: EventNamed<'note'>): string {
  return `${sanitizeForTerminal(event.message)}\n`;
}

/** Lines per kind of finding: a folder may have thousands, which the summary counts. */
const MAX_LINES_PER_KIND = 20;

/** Creates a formatter of findings: lines for the first ones of each kind, an empty text for the rest. */
export function createFindingFormatter(chalk: ChalkInstance): (event: EventNamed<'finding'>) => string {
  const counts: Partial<Record<FindingKind, number>> = {};
  return ({ kind, message }) => {
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    if (count > MAX_LINES_PER_KIND + 1) return '';
    const text = count > MAX_LINES_PER_KIND ? 'and more; --json lists all' : message;
    return `${chalk.yellow(kind)} ${sanitizeForTerminal(text)}\n`;
  };
}

export function formatPause(event: EventNamed<'pause'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('waiting')} ${formatDuration(event.waitMs)}: ${sanitizeForTerminal(event.error.message)}\n`;
}

/** The advice about conversions that an earlier version wrote in another form. */
export function formatOutdated(count: number): string {
  return `${plural(count, 'outdated conversion')}, written with other columns or rules than this version uses; repeat the convert, download --convert or sync that wrote them`;
}

/** Ratio of the most to the least bytes up to which no range is printed. */
const MAX_ABOUT = 1.5;

const BASIS: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'from earlier days',
  record: 'from averages of the exchange',
  typical: 'from typical sizes',
};

/**
 * Formats the estimate of a plan and the free disk space: `about 3.4 GB, 120M rows, 2m10s, from earlier days; 80 GB
 * free`; `roughly 3.4 GB (2.1 GB to 9.3 GB), …` if a part has a wide range, and `size unknown; …` if all has. Empty if
 * there is nothing to download.
 */
export function formatEstimate(plan: PlanEvent): string {
  const { estimatedBytes, estimateBasis, freeBytes } = plan;
  const isNothing = estimatedBytes === 0 && !estimateBasis;
  if (estimatedBytes === undefined || isNothing) return '';
  return `${formatExpectedSize(plan)}${freeBytes == null ? '' : `; ${formatSize(freeBytes)} free`}`;
}

function formatExpectedSize({
  estimatedBytes,
  estimatedRows,
  estimatedSeconds,
  estimateBasis,
  sizeRange,
}: PlanEvent): string {
  if (estimatedBytes == null || !estimateBasis || !sizeRange) return 'size unknown';
  const [least, most] = sizeRange;
  const size = formatSize(estimatedBytes);
  return [
    most <= least * MAX_ABOUT
      ? `about ${size}`
      : `roughly ${size} (${formatSize(least)} to ${formatSize(most)})`,
    ...(estimatedRows ? [plural(estimatedRows, 'row', formatCount(estimatedRows))] : []),
    ...(estimatedSeconds == null ? [] : [formatDuration(estimatedSeconds * 1000)]),
    BASIS[estimateBasis],
  ].join(', ');
}
