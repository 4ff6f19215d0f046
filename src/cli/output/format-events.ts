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

const PRECISION: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'about',
  record: 'roughly',
  typical: 'perhaps',
};

/** Basis of the estimate, which implies its precision. */
const BASIS: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'from earlier days',
  record: 'from averages of the exchange',
  typical: 'from typical sizes',
};

/**
 * Factor by which the actual size may differ: a busy symbol has 30 times the rows of the exchange's average symbol, and
 * symbols of one data type differ by a factor of up to 10,000.
 */
const RANGE_FACTOR: Readonly<Partial<Record<EstimateBasis, number>>> = { record: 30, typical: 300 };

/**
 * Formats the estimate of a plan and the free disk space: `about 3.4 GB, 120M rows, 2m10s, from earlier days; 80 GB
 * free`, or `roughly 3.4 GB (113 MB to 102 GB), …`. Empty if there is nothing to download or no estimate.
 */
export function formatEstimate(plan: PlanEvent): string {
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  if (estimatedBytes == null || !estimateBasis) return '';
  const parts = [
    `${PRECISION[estimateBasis]} ${formatSize(estimatedBytes)}${formatRange(estimatedBytes, estimateBasis)}`,
    ...(estimatedRows ? [plural(estimatedRows, 'row', formatCount(estimatedRows))] : []),
    ...(estimatedSeconds == null ? [] : [formatDuration(estimatedSeconds * 1000)]),
    BASIS[estimateBasis],
  ];
  return `${parts.join(', ')}${freeBytes == null ? '' : `; ${formatSize(freeBytes)} free`}`;
}

function formatRange(bytes: number, basis: EstimateBasis): string {
  const factor = RANGE_FACTOR[basis];
  return factor === undefined ? '' : ` (${formatSize(bytes / factor)} to ${formatSize(bytes * factor)})`;
}
