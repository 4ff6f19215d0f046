import type { RunEvent } from '../events/run-events.js';
import type { WrittenCounts } from '../market/lines/line-buffer.js';
import { readBooleanFlag, readTextFlag } from '../operations/arguments/read-arguments.js';
import type { ReplayObserver } from '../operations/replay-run.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { formatNote, formatPause, formatWarning } from './output/format-events.js';
import { createMinutesLine } from './output/run/minutes-line.js';
import { createChalk } from './output/text/color.js';
import { createNote, createObserver, createStderrNote, openTransferReporter } from './session.js';
import { showFileProgress, writesFile } from './show-file-progress.js';

/** Reports the progress of a replay on stderr. */
export interface ReplayProgress {
  readonly observer: Omit<ReplayObserver, 'output' | 'written'>;
  /** Removes temporary output from the screen. */
  close(): void;
}

/**
 * Shows the progress of a replay: for feeds the minutes; for day files first the download, then the written
 * messages.
 */
export function openReplayObserver(
  args: CommandArgs,
  cli: CliHost,
  written: WrittenCounts,
): Promise<ReplayProgress> {
  const isFeedReplay = args['channel'] !== undefined || readTextFlag(args, 'source') === 'feeds';
  return isFeedReplay ? observeFeeds(args, cli, written) : observeDayFiles(args, cli, written);
}

/** Prints warnings and pauses as lines; other events only affect the bars of a download. */
async function observeFeeds(
  args: CommandArgs,
  cli: CliHost,
  written: WrittenCounts,
): Promise<ReplayProgress> {
  const { stderr, stdout, env } = cli;
  const isQuiet = readBooleanFlag(args, 'quiet');
  const redraws = stderr.isTTY === true && (writesFile(args) || stdout.isTTY !== true);
  const line = createMinutesLine(stderr, redraws, written);
  const chalk = createChalk(stderr, env, readBooleanFlag(args, 'no-color'));
  return {
    observer: {
      emit(event) {
        if (isQuiet) return;
        if (event.event === 'warning') line.print(formatWarning(event, chalk));
        else if (event.event === 'pause') line.print(formatPause(event, chalk));
      },
      note: createNote(args, (text) => line.print(`${text}\n`)),
      onDownloaded: () => {},
      onMinutes: isQuiet ? undefined : line.onMinutes,
    },
    close: line.close,
  };
}

/** Shows bars only if messages go to a file, and only during the download; otherwise lines. */
async function observeDayFiles(
  args: CommandArgs,
  cli: CliHost,
  written: WrittenCounts,
): Promise<ReplayProgress> {
  const reporter = await openTransferReporter(args, cli, writesFile(args));
  const observer = createObserver(args, reporter);
  const isJson = readBooleanFlag(args, 'json');
  const isQuiet = readBooleanFlag(args, 'quiet');
  let isDownloading = false;
  const hideProgress = await showFileProgress(args, cli, written, () => !isDownloading);
  return {
    observer: {
      ...observer,
      // The reporter is quiet with --json.
      ...(isJson && { note: createStderrNote(args, cli) }),
      emit(event) {
        isDownloading ||= event.event === 'plan';
        observer.emit(event);
        if (isJson && !isQuiet) printNotice(event, cli);
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
function printNotice(event: RunEvent, { stderr, warn }: CliHost): void {
  if (event.event === 'warning') warn(event.message);
  else if (event.event === 'note') stderr.write(formatNote(event));
}
