import type { ChalkInstance } from 'chalk';
import { type Day, formatDay } from '../../dataset/day.js';
import { ERRORS } from '../../errors.js';
import type { FileError, FileStatus, RunEvent, RunSummary } from '../../events.js';
import { formatDuration, formatSize, plural } from '../../units.js';

/** Remembers of a run's events what its summary needs in order to say what to do next. */
export interface Tally {
  see(event: RunEvent): void;
  /** The summary for people; every line ends in a line break. */
  text(summary: RunSummary, chalk: ChalkInstance): string;
}

export function createTally(): Tally {
  const pendingDays = new Set<Day>();
  let exchange = '';
  let otherMd5 = 0;
  return {
    see(event) {
      if (event.event !== 'file') return;
      exchange = event.file?.exchange ?? exchange;
      if (event.md5Match === false) otherMd5++;
      if (event.status === 'pending' && event.file) pendingDays.add(event.file.day);
    },
    text(summary, chalk) {
      return summaryText(
        summary,
        { exchange, otherMd5, pendingDays: [...pendingDays].sort((a, b) => a - b) },
        chalk,
      );
    },
  };
}

/** Why the run ended early, as the one line that every failed command prints. */
export function errorLine(error: FileError): string {
  return `tickhaul: ${error.message}\n`;
}

interface Seen {
  readonly exchange: string;
  /** Files whose x-md5 was another one. */
  readonly otherMd5: number;
  /** In order. */
  readonly pendingDays: readonly Day[];
}

function summaryText(summary: RunSummary, seen: Seen, chalk: ChalkInstance): string {
  const error = summary.error === undefined ? '' : errorLine(summary.error);
  if (error !== '' && Object.keys(summary.counts).length === 0 && summary.unfinished === 0) return error;
  const lines = [countsLine(summary, chalk), ...nextSteps(summary, seen)];
  return error + lines.map((line) => `${line}\n`).join('');
}

const ORDER: readonly FileStatus[] = [
  'downloaded',
  'converted',
  'verified',
  'skipped',
  'pending',
  'unavailable',
  'unauthorized',
  'failed',
];

/** `12 downloaded (3.4 GB, 41 MB/s), 3 skipped, 1 failed in 1m22s` */
function countsLine({ counts, unfinished, bytes, seconds }: RunSummary, chalk: ChalkInstance): string {
  const parts = ORDER.flatMap((status) => {
    const count = counts[status] ?? 0;
    if (count === 0) return [];
    if (status === 'failed') return [chalk.red(`${count} failed`)];
    if (status !== 'downloaded' && status !== 'converted') return [`${count} ${status}`];
    const rate = seconds > 0 ? `, ${formatSize(bytes / seconds)}/s` : '';
    return [`${chalk.green(`${count} ${status}`)} (${formatSize(bytes)}${rate})`];
  });
  if (unfinished > 0) parts.push(`${unfinished} unfinished`);
  return `${parts.length === 0 ? 'no day files' : parts.join(', ')} in ${formatDuration(seconds * 1000)}`;
}

/** Exit codes after which the same command again may fare better. */
const WORTH_A_RERUN: ReadonlySet<number> = new Set([3, 5, 6, 8, 130, 143]);

function nextSteps(summary: RunSummary, { exchange, otherMd5, pendingDays }: Seen): readonly string[] {
  const { counts, unfinished, error } = summary;
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
  const unauthorized = counts.unauthorized ?? 0;
  if (unauthorized > 0) {
    steps.push(`${plural(unauthorized, 'file')} without an API key for it: set TICKHAUL_API_KEY`);
  }
  const helpless = error !== undefined && !WORTH_A_RERUN.has(ERRORS[error.code].exitCode);
  if (!helpless && ((counts.failed ?? 0) > 0 || unfinished > 0 || error !== undefined)) {
    steps.push('run the same command again: what is whole is kept');
  }
  return steps;
}
