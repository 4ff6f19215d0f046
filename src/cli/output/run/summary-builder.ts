import type { ChalkInstance } from 'chalk';
import { type FileError, judgeError } from '../../../base/errors.js';
import { sanitizeForTerminal } from '../../../base/text.js';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import { type Day, formatDay } from '../../../day-files/day.js';
import { DAY_CONDITIONS, type DayCondition } from '../../../events/audited-day.js';
import type { FileEvent, FileStatus, LeftOutRule, RunEvent, RunSummary } from '../../../events/run-events.js';
import { collectErrors } from '../../../events/run-tally.js';
import { formatOutdated } from '../format-events.js';
import { wrapLines, wrapPieces } from '../text/width.js';

/** Collects from a run's events what its summary and the advice below it need. */
export interface SummaryBuilder {
  record(event: RunEvent): void;
  /**
   * The summary as text; every line ends with a line break.
   * @param screen columns of a terminal, on which counts are wrapped and a mark shows success or failure.
   */
  text(summary: RunSummary, chalk: ChalkInstance, screen?: number): string;
  /** Why the run failed or ended early; empty if the line of a failed file has just said so. */
  errorText(summary: RunSummary): string;
}

/** @param columns returns the columns available for errors. */
export function createSummaryBuilder(columns: () => number): SummaryBuilder {
  const pendingDays = new Set<Day>();
  const repairs = new Set<FileEvent['repairedBy']>();
  let exchange = '';
  let failedForNow = false;
  let md5Mismatches = 0;
  let planned = 0;
  let folder: string | undefined;
  // The error that stopped a run is among the last: a few files may still end before the run does.
  const failures: string[] = [];
  const rememberFailure = (message: string): void => {
    if (failures.push(message) > MAX_REMEMBERED_FAILURES) failures.shift();
  };
  const errorText = (summary: RunSummary): string =>
    wrapLines(
      collectErrors(summary)
        .filter(({ message }) => !failures.includes(message))
        .map(formatRunError)
        .join(''),
      columns(),
    );
  return {
    record(event) {
      if (event.event === 'plan') ({ files: planned, folder } = event);
      if (event.event === 'day' && event.error) rememberFailure(event.error.message);
      if (event.event !== 'file') return;
      exchange = event.file?.exchange ?? exchange;
      repairs.add(event.repairedBy);
      if (event.error !== undefined) rememberFailure(event.error.message);
      failedForNow ||=
        event.status === 'failed' && event.error !== undefined && judgeError(event.error).canRerun;
      if (event.md5Match === false) md5Mismatches++;
      if (event.status === 'pending' && event.file) pendingDays.add(event.file.day);
    },
    text(summary, chalk, screen) {
      // The reader closed a stream of rows early.
      if (planned > 0 && summary.unfinished === 0 && !hasCounts(summary)) {
        return errorText(summary);
      }
      return formatSummary(
        summary,
        {
          exchange,
          failedForNow,
          md5Mismatches,
          repairs,
          folder,
          pendingDays: [...pendingDays].sort((a, b) => a - b),
          error: errorText(summary),
        },
        chalk,
        screen,
      );
    },
    errorText,
  };
}

/** Whether a run has the result of any file or day. */
function hasCounts({ counts, days }: RunSummary): boolean {
  return Object.keys(counts).length > 0 || days !== undefined;
}

const MAX_REMEMBERED_FAILURES = 32;

/** An error of a run, as the line that every failed command prints. */
export function formatRunError(error: FileError): string {
  return `tickhaul: ${sanitizeForTerminal(error.message)}\n`;
}

interface CollectedEvents {
  readonly exchange: string;
  /** Whether a file failed that may succeed when the command is run again. */
  readonly failedForNow: boolean;
  /** Files whose x-md5 did not match. */
  readonly md5Mismatches: number;
  /** How `verify --repair` would repair bad files. */
  readonly repairs: ReadonlySet<FileEvent['repairedBy']>;
  /** Folder of a download. */
  readonly folder: string | undefined;
  /** Sorted. */
  readonly pendingDays: readonly Day[];
  /** Why the run failed or ended early; empty if it was already printed. */
  readonly error: string;
}

function formatSummary(
  summary: RunSummary,
  collected: CollectedEvents,
  chalk: ChalkInstance,
  screen: number | undefined,
): string {
  const { error } = collected;
  if (error !== '' && !hasCounts(summary) && summary.unfinished === 0) return error;
  const jobs =
    summary.jobs?.map((job) =>
      formatResult(job, `${sanitizeForTerminal(job.name)}: ${formatCounts(job, chalk)}`, chalk, screen),
    ) ?? [];
  const all = formatResult(summary, formatCounts(summary, chalk), chalk, screen);
  const lines = [
    ...jobs.flat(),
    ...all,
    ...formatLeftOut(summary),
    ...suggestNextSteps(summary, collected),
    ...formatFolder(summary, collected),
    ...formatScripts(summary),
  ];
  return error + lines.map((line) => `${line}\n`).join('');
}

const LEFT_OUT: Readonly<Record<LeftOutRule, string>> = {
  zero_size: 'size 0',
  zero_volume: 'in bars of volume 0',
  snapshots: 'snapshots left out by --snapshots',
  one_data_type: 'symbols with one of the two data types',
  no_pair: 'symbols without a pair',
  no_rate: 'neither funding rates nor mark prices',
};

/** What an export made of the rows of day files, if it left some out. */
function formatLeftOut({ dayFileRows }: RunSummary): readonly string[] {
  if (!dayFileRows) return [];
  const { read, written, leftOut } = dayFileRows;
  const rules = Object.entries(leftOut) as [LeftOutRule, number][];
  if (rules.length === 0) return [];
  const reasons = rules.map(([rule, rows]) => `${rows} left out (${LEFT_OUT[rule]})`);
  return [`rows: ${read} read, ${written} written, ${reasons.join(', ')}`];
}

/** The folder of a download, if it has files. */
function formatFolder({ counts }: RunSummary, { folder }: CollectedEvents): readonly string[] {
  const isAny = EXISTING_STATUSES.some((status) => counts[status]);
  return folder === undefined || !isAny ? [] : [`the files are in ${sanitizeForTerminal(folder)}`];
}

/** How to run what an export wrote for its backtester. */
function formatScripts({ scripts = [] }: RunSummary): readonly string[] {
  return scripts.map(({ path, command }) =>
    sanitizeForTerminal(command === undefined ? `it runs with ${path}` : `run it: ${command}`),
  );
}

/** Statuses of day files that exist in the download folder. */
const EXISTING_STATUSES: readonly FileStatus[] = ['downloaded', 'converted', 'verified', 'skipped'];

/** A result, on a terminal with a mark before it. */
function formatResult(
  { exitCode }: Pick<RunSummary, 'exitCode'>,
  text: string,
  chalk: ChalkInstance,
  screen: number | undefined,
): readonly string[] {
  if (screen === undefined) return [text];
  const mark = exitCode === 0 ? chalk.green('✓') : chalk.red('✗');
  return wrapPieces(text.split(' '), screen - 2).map((line, i) => `${i === 0 ? mark : ' '} ${line}`);
}

const STATUS_ORDER: readonly FileStatus[] = [
  'downloaded',
  'converted',
  'repaired',
  'forgotten',
  'verified',
  'skipped',
  'pending',
  'unavailable',
  'unauthorized',
  'missing',
  'corrupt',
  'failed',
];

const BAD_STATUSES: ReadonlySet<FileStatus | DayCondition> = new Set(['missing', 'corrupt', 'failed']);
/** Statuses whose bytes the run downloaded or wrote. */
const WRITTEN_STATUSES: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'repaired']);
const FINDING_NOUNS: Readonly<Record<string, string>> = {
  unknown: 'unknown file',
  stale: 'stale part',
  removed: 'removed part',
  resumable: 'resumable part',
  extra: 'extra file',
};

/** Formats counts: `12 downloaded (3.4 GB, 41 MB/s), 3 skipped, 1 failed in 1m22s`. */
function formatCounts(
  { counts, findings, days = {}, outdated, empty, unfinished, bytes, seconds }: RunSummary,
  chalk: ChalkInstance,
): string {
  const parts = STATUS_ORDER.flatMap((status) => {
    const count = counts[status] ?? 0;
    if (count === 0) return [];
    if (BAD_STATUSES.has(status)) return [chalk.red(`${count} ${status}`)];
    if (!WRITTEN_STATUSES.has(status)) return [`${count} ${status}`];
    const rate = seconds > 0 ? `, ${formatSize(bytes / seconds)}/s` : '';
    return [`${chalk.green(`${count} ${status}`)} (${formatSize(bytes)}${rate})`];
  });
  for (const condition of DAY_CONDITIONS) {
    const count = days[condition] ?? 0;
    if (count > 0)
      parts.push(BAD_STATUSES.has(condition) ? chalk.red(`${count} ${condition}`) : `${count} ${condition}`);
  }
  for (const [kind, count] of Object.entries(findings ?? {}))
    parts.push(plural(count, FINDING_NOUNS[kind] ?? kind));
  if (outdated !== undefined) parts.push(`${outdated} outdated`);
  if (empty !== undefined) parts.push(`${plural(empty, 'day')} without rows`);
  if (unfinished > 0) parts.push(`${unfinished} unfinished`);
  return `${parts.length === 0 ? 'no files' : parts.join(', ')} in ${formatDuration(seconds * 1000)}`;
}

function suggestNextSteps(
  summary: RunSummary,
  { exchange, failedForNow, md5Mismatches, repairs, pendingDays }: CollectedEvents,
): readonly string[] {
  const { counts, findings, days, outdated, unfinished, error } = summary;
  const steps: string[] = [];
  const lastDay = pendingDays.at(-1);
  if (lastDay !== undefined)
    steps.push(
      `${plural(pendingDays.length, 'day')} not exported yet: tickhaul status ${exchange} --wait --until ${formatDay(lastDay)}`,
    );
  if (md5Mismatches > 0)
    steps.push(
      `warning: ${plural(md5Mismatches, 'file')} with an x-md5 that does not match; size and gzip checksum are correct, so they are kept (md5Match in the manifest)`,
    );
  if (repairs.has('download')) steps.push('tickhaul verify --repair downloads bad files again');
  // An audit also finds what verified bytes contain, which a repair keeps.
  if (days?.corrupt) steps.push('tickhaul download … --existing overwrite downloads bad files again');
  if (repairs.has('export'))
    steps.push('tickhaul verify --repair makes the next export write bad files again');
  if (counts.missing)
    steps.push('tickhaul verify --forget removes deliberately deleted files from the manifest');
  if (findings?.unknown) steps.push('tickhaul verify --adopt records complete files that the manifest lacks');
  if (findings?.extra) steps.push('extra files: remove them, or use another folder with --dir');
  if (findings?.stale) steps.push('tickhaul verify --clean removes stale parts');
  if (outdated !== undefined) steps.push(formatOutdated(outdated));
  const isIncomplete = failedForNow || unfinished > 0 || error !== undefined;
  if (isIncomplete && (error === undefined || judgeError(error).canRerun)) {
    steps.push('run the same command again; complete files are kept');
  }
  return steps;
}
