import { abortReason, TickhaulError } from '../../base/errors.js';
import { namedDescriptor } from '../../base/output-sink.js';
import { formatCount, formatDuration, formatSize, plural, secondsSince } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import type { RunEvent } from '../../events/run-events.js';
import type { WrittenCounts } from '../../market/lines/line-buffer.js';
import type { RunObserver } from '../../operations/context.js';
import type { ReplayOutput } from '../../operations/message-output.js';
import type { CliHost } from '../arguments/command.js';
import { printFailure } from '../report-failure.js';
import { formatNote, formatPause, formatWarning } from './format-events.js';
import { LiveLines } from './live-lines.js';
import { createTransferRate } from './run/run-progress.js';
import { type OutputScreen, screenColumns, textColumns } from './text/screen.js';
import { wrapLines, wrapPieces } from './text/width.js';
import { createThrottle } from './throttle.js';

/**
 * Runs a command that prints messages to stdout, and prints its summary to stderr; with `--json` it is the last line.
 * @returns the exit code.
 */
export async function runWithMessageSummary(
  cli: CliHost,
  work: (written: WrittenCounts) => Promise<void>,
): Promise<number> {
  const startedAtMs = performance.now();
  const written: WrittenCounts = { messages: 0, bytes: 0 };
  const printSummary = (exitCode: number, error?: object): void => {
    const summary = { event: 'summary', exitCode, ...written, seconds: secondsSince(startedAtMs), error };
    if (cli.output.json) cli.stderr.write(toJsonLine(summary));
  };
  try {
    await work(written).finally(() => cli.output.flushRequests());
    printSummary(0);
    const { messages, bytes } = written;
    cli.output.note(
      `${plural(messages, 'message', formatCount(messages))}, ${formatSize(bytes)}, ${plural(Math.round(secondsSince(startedAtMs)), 'second')}`,
    );
    return 0;
  } catch (error) {
    const thrown = cli.signal.aborted && !isMoreSpecific(error, cli) ? cli.signal.reason : error;
    const { exitCode, error: reason } = printFailure(cli.reportBug(thrown), cli.stderr);
    printSummary(exitCode, reason);
    return exitCode;
  }
}

/**
 * Whether an error is more specific than the signal's reason: it has the same code, or output could not be
 * stored.
 */
function isMoreSpecific(error: unknown, { signal }: CliHost): boolean {
  if (!(error instanceof TickhaulError)) return false;
  return error.code === abortReason(signal).code || error.code === 'disk' || error.code === 'path_taken';
}

/** Whether messages go to a file, rather than to stdout or another descriptor. @param out `--out`. */
export function writesFile(out = '-'): boolean {
  return out !== '-' && namedDescriptor(out) === undefined;
}

/**
 * If messages go to a file, shows how many were written, where bars would be shown.
 * @param out `--out`. @param isFree whether nothing else is drawn there; by default nothing ever is.
 * @returns removes the line.
 */
export async function showFileProgress(
  out: string | undefined,
  { stderr, output }: CliHost,
  written: WrittenCounts,
  isFree?: () => boolean,
): Promise<() => void> {
  if (!writesFile(out) || !(await output.canDraw())) return () => {};
  const line = showWritten(stderr, written, isFree);
  if (!isFree) output.printAbove((text) => line.print(text));
  return () => line.close();
}

/**
 * Shows on a terminal how much a command has written, in a line that is redrawn until it is closed.
 * @param written counters, incremented by the command. @param isFree whether nothing else is drawn there.
 */
export function showWritten(
  screen: OutputScreen,
  written: Readonly<WrittenCounts>,
  isFree: () => boolean = () => true,
): LiveLines {
  const rate = createTransferRate(() => performance.now());
  let countedBytes = 0;
  const line = new LiveLines(screen, () => {
    if (written.messages === 0 || !isFree()) return undefined;
    rate.add(written.bytes - countedBytes);
    countedBytes = written.bytes;
    const pieces = [
      `${plural(written.messages, 'message', formatCount(written.messages))},`,
      `${formatSize(written.bytes)},`,
      `${formatSize(rate.perSecond())}/s`,
    ];
    return wrapPieces(pieces, screenColumns(screen) - 1);
  });
  line.open();
  return line;
}

/** Reports the progress of a replay on stderr. */
export interface ReplayProgress {
  readonly observer: RunObserver & Omit<ReplayOutput, 'output' | 'written'>;
  /** Removes temporary output from the screen. */
  close(): void;
}

/**
 * Shows the progress of a replay of feeds: the minutes, in a line of a terminal that has no other output, otherwise in a
 * line every 10 seconds. Warnings and pauses are lines; other events only affect the bars of a download.
 * @param out `--out`.
 */
export async function observeFeeds(
  out: string | undefined,
  { stderr, stdout, output }: CliHost,
  written: WrittenCounts,
): Promise<ReplayProgress> {
  const redraws = !output.quiet && stderr.isTTY === true && (writesFile(out) || stdout.isTTY !== true);
  const chalk = await output.chalk(stderr);
  const now = (): number => performance.now();
  const startedAtMs = now();
  const isDue = createThrottle(now);
  isDue();
  let done = 0;
  let whole = 0;
  const format = (): string => {
    const seconds = (now() - startedAtMs) / 1000;
    const left = formatDuration((seconds / done) * (whole - done) * 1000);
    const rate = formatCount(Math.round(written.messages / seconds));
    return `${Math.floor(done)} of ${plural(whole, 'minute')}, ${rate} messages/s, ${left} left`;
  };
  const line = new LiveLines(stderr, () =>
    done === 0 ? undefined : wrapPieces(format().split(/(?<=,) /), screenColumns(stderr) - 1),
  );
  if (redraws) line.open();
  const print = (text: string): void =>
    redraws ? line.print(text) : void stderr.write(wrapLines(text, textColumns(stderr)));
  output.printAbove(print);
  return {
    observer: {
      emit(event) {
        if (output.quiet) return;
        if (event.event === 'warning') print(formatWarning(event, chalk));
        else if (event.event === 'pause') print(formatPause(event, chalk));
      },
      note: output.onRequest,
      onDownloaded: () => {},
      onMinutes: output.quiet
        ? undefined
        : (minutes, period) => {
            done += minutes;
            whole = period;
            if (!redraws && isDue()) print(`${format()}\n`);
          },
    },
    close: () => line.close(),
  };
}

/**
 * Shows the progress of a replay of day files: first the download, then the written messages. Bars are shown only if
 * messages go to a file, and only during the download; otherwise lines.
 * @param out `--out`.
 */
export async function observeDayFiles(
  out: string | undefined,
  cli: CliHost,
  written: WrittenCounts,
): Promise<ReplayProgress> {
  const { output } = cli;
  const reporter = await output.openTransferReporter(writesFile(out));
  let isDownloading = false;
  const hideProgress = await showFileProgress(out, cli, written, () => !isDownloading);
  return {
    observer: {
      note: output.onRequest,
      emit(event) {
        isDownloading ||= event.event === 'plan';
        reporter.event(event);
        if (output.json && !output.quiet) printNotice(event, cli);
      },
      onDownloaded(summary) {
        isDownloading = false;
        reporter.finish(summary);
      },
    },
    close: hideProgress,
  };
}

/** Prints warnings and notes that the quiet reporter drops with `--json`, as other commands print them. */
function printNotice(event: RunEvent, { stderr, output }: CliHost): void {
  if (event.event === 'warning') output.warn(event.message);
  else if (event.event === 'note') stderr.write(formatNote(event));
}
