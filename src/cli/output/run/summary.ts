import type { ChalkInstance } from 'chalk';
import { ERRORS } from '../../../base/errors.js';
import type { FileError } from '../../../base/file-error.js';
import { printable } from '../../../base/printable.js';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import { type Day, formatDay } from '../../../dataset/day.js';
import type { FileStatus, RunEvent, RunSummary } from '../../../run/events.js';
import { outdatedText } from '../messages.js';
import { wrapLines, wrapPieces } from '../text/wrap.js';

/** Remembers of a run's events what its summary needs in order to say what to do next. */
export interface Tally {
  see(event: RunEvent): void;
  /**
   * The summary for people; every line ends in a line break.
   * @param screen columns of a terminal, where a mark tells at a glance how it ended, and counts are wrapped.
   */
  text(summary: RunSummary, chalk: ChalkInstance, screen?: number): string;
  /** Why the run ended early, where no failed file's line has just said so; else nothing. */
  errorText(summary: RunSummary): string;
}

/** @param columns that errors are to fit. */
export function createTally(columns: () => number): Tally {
  const pendingDays = new Set<Day>();
  let exchange = '';
  let otherMd5 = 0;
  let planned = 0;
  let folder: string | undefined;
  // What stops a run is among the last: a file or two may end while it stops.
  const failures: string[] = [];
  const errorText = (summary: RunSummary): string =>
    wrapLines(
      errorsOf(summary)
        .filter(({ message }) => !failures.includes(message))
        .map(errorLine)
        .join(''),
      columns(),
    );
  return {
    see(event) {
      if (event.event === 'plan') ({ files: planned, folder } = event);
      if (event.event !== 'file') return;
      exchange = event.file?.exchange ?? exchange;
      if (event.error !== undefined && failures.push(event.error.message) > LAST_FAILURES) failures.shift();
      if (event.md5Match === false) otherMd5++;
      if (event.status === 'pending' && event.file) pendingDays.add(event.file.day);
    },
    text(summary, chalk, screen) {
      // Its reader left a stream of rows.
      if (planned > 0 && summary.unfinished === 0 && Object.keys(summary.counts).length === 0) {
        return errorText(summary);
      }
      return summaryText(
        summary,
        {
          exchange,
          otherMd5,
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

const LAST_FAILURES = 32;

/** Why the run ended early, and why jobs of it did, each reason once. */
export function errorsOf({ error, jobs = [] }: RunSummary): readonly FileError[] {
  const errors = new Map(jobs.flatMap((job) => (job.error ? [[job.error.message, job.error]] : [])));
  if (error) errors.set(error.message, error);
  return [...errors.values()];
}

/** Why the run ended early, as the one line that every failed command prints. */
export function errorLine(error: FileError): string {
  return `tickhaul: ${printable(error.message)}\n`;
}

interface Seen {
  readonly exchange: string;
  /** Files whose x-md5 was another one. */
  readonly otherMd5: number;
  /** Of a download. */
  readonly folder: string | undefined;
  /** In order. */
  readonly pendingDays: readonly Day[];
  /** Why the run ended early; empty where that was said already. */
  readonly error: string;
}

function summaryText(
  summary: RunSummary,
  seen: Seen,
  chalk: ChalkInstance,
  screen: number | undefined,
): string {
  const { error } = seen;
  if (error !== '' && Object.keys(summary.counts).length === 0 && summary.unfinished === 0) return error;
  const jobs =
    summary.jobs?.map((job) => told(job, `${job.name}: ${countsLine(job, chalk)}`, chalk, screen)) ?? [];
  const all = told(summary, countsLine(summary, chalk), chalk, screen);
  const lines = [...jobs.flat(), ...all, ...nextSteps(summary, seen), ...folderLines(summary, seen)];
  return error + lines.map((line) => `${line}\n`).join('');
}

/** Where a download's files are, where there are any. */
function folderLines({ counts }: RunSummary, { folder }: Seen): readonly string[] {
  const isAny = THERE.some((status) => counts[status]);
  return folder === undefined || !isAny ? [] : [`the files are in ${printable(folder)}`];
}

/** Statuses of day files that are in the download folder. */
const THERE: readonly FileStatus[] = ['downloaded', 'converted', 'verified', 'skipped'];

/** What something came to, on a terminal with a mark before it. */
function told(
  { exitCode }: Pick<RunSummary, 'exitCode'>,
  text: string,
  chalk: ChalkInstance,
  screen: number | undefined,
): readonly string[] {
  if (screen === undefined) return [text];
  const mark = exitCode === 0 ? chalk.green('✓') : chalk.red('✗');
  return wrapPieces(text.split(' '), screen - 2).map((line, i) => `${i === 0 ? mark : ' '} ${line}`);
}

const ORDER: readonly FileStatus[] = [
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

const BAD: ReadonlySet<FileStatus> = new Set(['missing', 'corrupt', 'failed']);
/** Statuses whose bytes the run brought or made. */
const BRINGING: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'repaired']);
const FINDING_NOUNS: Readonly<Record<string, string>> = {
  unknown: 'unknown file',
  stale: 'stale part',
  removed: 'removed part',
  resumable: 'resumable part',
  extra: 'extra file',
};

/** `12 downloaded (3.4 GB, 41 MB/s), 3 skipped, 1 failed in 1m22s` */
function countsLine(
  { counts, findings, outdated, unfinished, bytes, seconds }: RunSummary,
  chalk: ChalkInstance,
): string {
  const parts = ORDER.flatMap((status) => {
    const count = counts[status] ?? 0;
    if (count === 0) return [];
    if (BAD.has(status)) return [chalk.red(`${count} ${status}`)];
    if (!BRINGING.has(status)) return [`${count} ${status}`];
    const rate = seconds > 0 ? `, ${formatSize(bytes / seconds)}/s` : '';
    return [`${chalk.green(`${count} ${status}`)} (${formatSize(bytes)}${rate})`];
  });
  for (const [kind, count] of Object.entries(findings ?? {}))
    parts.push(plural(count, FINDING_NOUNS[kind] ?? kind));
  if (outdated !== undefined) parts.push(`${outdated} outdated`);
  if (unfinished > 0) parts.push(`${unfinished} unfinished`);
  return `${parts.length === 0 ? 'no files' : parts.join(', ')} in ${formatDuration(seconds * 1000)}`;
}

/** Exit codes after which the same command again may fare better. */
const WORTH_A_RERUN: ReadonlySet<number> = new Set([3, 5, 6, 8, 130, 143]);

function nextSteps(summary: RunSummary, { exchange, otherMd5, pendingDays }: Seen): readonly string[] {
  const { counts, findings, outdated, unfinished, keyExpired, error } = summary;
  const steps: string[] = [];
  const lastDay = pendingDays.at(-1);
  if (lastDay !== undefined) {
    steps.push(
      `${plural(pendingDays.length, 'day')} not exported yet: tickhaul status ${exchange} --wait --until ${formatDay(lastDay)}`,
    );
  }
  if (otherMd5 > 0) {
    steps.push(
      `warning: ${plural(otherMd5, 'file')} came with an x-md5 of other bytes; size and gzip checksum are right, so they are kept (md5Match in the manifest)`,
    );
  }
  if (counts.corrupt || counts.missing) steps.push('tickhaul verify --repair downloads bad files again');
  if (counts.missing) steps.push('tickhaul verify --forget is for files that were deleted on purpose');
  if (findings?.unknown)
    steps.push('tickhaul verify --adopt records whole files that the manifest does not know');
  if (findings?.extra) steps.push('extra files: remove them, or use another folder with --dir');
  if (findings?.stale) steps.push('tickhaul verify --clean removes stale parts');
  if (outdated !== undefined) steps.push(outdatedText(outdated));
  const unauthorized = counts.unauthorized ?? 0;
  if (unauthorized > 0) {
    const files = plural(unauthorized, 'file');
    steps.push(
      keyExpired
        ? `${files} not covered: the API key has expired; renew it, or set another`
        : `${files} that no API key covers; tickhaul key shows what yours covers, if it has not expired; without one, set TICKHAUL_API_KEY`,
    );
  }
  const helpless = error !== undefined && !WORTH_A_RERUN.has(ERRORS[error.code].exitCode);
  if (!helpless && ((counts.failed ?? 0) > 0 || unfinished > 0 || error !== undefined)) {
    steps.push('run the same command again: what is whole is kept');
  }
  return steps;
}
