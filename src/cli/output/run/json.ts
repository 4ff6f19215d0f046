import type { FileError } from '../../../base/file-error.js';
import { formatDay } from '../../../dataset/day.js';
import type { FileEvent, FindingEvent, RunEvent, RunSummary } from '../../../run/events.js';
import { noteLine, warningLine } from '../messages.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { errorLine, errorsOf } from './summary.js';

/** JSON lines on stdout (contract, Output): plan, each file, summary; warnings and notes go to stderr. */
export function jsonReporter({ stdout, stderr, chalk }: ReporterContext): Reporter {
  return {
    event(event) {
      if (event.event === 'warning') stderr.write(warningLine(event, chalk));
      else if (event.event === 'note') stderr.write(noteLine(event));
      else if (event.event === 'plan') stdout.write(line(planObject(event)));
      else if (event.event === 'finding') stdout.write(line(findingObject(event)));
      else if (event.event === 'file') stdout.write(line(fileObject(event)));
    },
    note(text) {
      stderr.write(`${text}\n`);
    },
    finish(summary) {
      stderr.write(errorsOf(summary).map(errorLine).join(''));
      stdout.write(summaryLine(summary));
    },
  };
}

/** The last line of a working command's JSON. */
export function summaryLine(summary: RunSummary): string {
  const { jobs } = summary;
  const told = jobs?.map(({ name, newSymbols, delistedSymbols, ...job }) => ({
    name,
    ...summaryObject(job),
    ...(newSymbols.length > 0 && { newSymbols }),
    ...(delistedSymbols.length > 0 && { delistedSymbols }),
  }));
  return line({ event: 'summary', ...summaryObject(summary), ...(told && { jobs: told }) });
}

function summaryObject({
  exitCode,
  counts,
  findings,
  unfinished,
  bytes,
  seconds,
  keyExpired,
  error,
}: RunSummary): object {
  return {
    exitCode,
    ...counts,
    ...findings,
    ...(unfinished > 0 ? { unfinished } : {}),
    bytes,
    seconds,
    keyExpired,
    ...(error === undefined ? {} : { error: errorObject(error) }),
  };
}

/** A day file with what became of it, or with what is planned for it. Fields that aren't known are absent. */
export function fileObject(event: Omit<FileEvent, 'status'> & { readonly status: string }): object {
  const { file, path, source, output, bytes, md5, md5Match, attempts, seconds, rows, error } = event;
  return {
    event: 'file',
    job: event.job,
    status: event.status,
    exchange: file?.exchange,
    dataType: file?.dataType,
    symbol: file?.symbol,
    date: file && formatDay(file.day),
    path,
    source,
    output,
    bytes,
    md5,
    md5Match,
    attempts,
    seconds,
    rows,
    error: error && errorObject(error),
  };
}

function findingObject({ kind, path, bytes, series, days, message }: FindingEvent): object {
  return { event: 'finding', kind, path, bytes, ...series, days: days?.map(formatDay), message };
}

export function planObject(plan: Extract<RunEvent, { readonly event: 'plan' }>): object {
  const { files, download, skip, resume, pending, unavailable, unauthorized } = plan;
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  return {
    event: 'plan',
    files,
    download,
    skip,
    resume,
    pending,
    unavailable,
    unauthorized,
    estimatedBytes,
    estimatedRows,
    estimatedSeconds,
    estimateBasis,
    freeBytes,
  };
}

export function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function errorObject({ code, message, status }: FileError): object {
  return { code, message, status };
}
