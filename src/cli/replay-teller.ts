import { readBooleanFlag, readTextFlag } from '../commands/arguments/read-arguments.js';
import type { ReplayObserver } from '../commands/replay-run.js';
import type { WrittenCounts } from '../market/lines/line-sink.js';
import type { RunEvent } from '../run/run-events.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { formatNote, formatPause, formatWarning } from './output/format-events.js';
import { createMinutesLine } from './output/run/minutes-line.js';
import { createChalk } from './output/text/color.js';
import { noteOf, openTransferReporter, plainNoteOf, tellerOf } from './session.js';
import { showFileProgress, writesFile } from './show-file-progress.js';

/** Who hears of a replay while it works, on stderr. */
export interface ReplayDisplay {
  readonly teller: Omit<ReplayObserver, 'output' | 'written'>;
  /** Takes off the screen what was not to stay. */
  close(): void;
}

/** Shows how far a replay has come: of feeds in minutes, of day files by what is downloaded, then by what is written. */
export function showReplay(args: CommandArgs, cli: CliHost, written: WrittenCounts): Promise<ReplayDisplay> {
  const isOfFeeds = args['channel'] !== undefined || readTextFlag(args, 'source') === 'feeds';
  return isOfFeeds ? showFeeds(args, cli, written) : showDayFiles(args, cli, written);
}

/** Warnings and pauses as lines; the rest only shows in the bars of a download. */
async function showFeeds(args: CommandArgs, cli: CliHost, written: WrittenCounts): Promise<ReplayDisplay> {
  const { stderr, stdout, env } = cli;
  const isQuiet = readBooleanFlag(args, 'quiet');
  const redraws = stderr.isTTY === true && (writesFile(args) || stdout.isTTY !== true);
  const line = createMinutesLine(stderr, redraws, written);
  const chalk = createChalk(stderr, env, readBooleanFlag(args, 'no-color'));
  return {
    teller: {
      emit(event) {
        if (isQuiet) return;
        if (event.event === 'warning') line.print(formatWarning(event, chalk));
        else if (event.event === 'pause') line.print(formatPause(event, chalk));
      },
      note: noteOf(args, (text) => line.print(`${text}\n`)),
      onDownloaded: () => {},
      onMinutes: isQuiet ? undefined : line.onMinutes,
    },
    close: line.close,
  };
}

/** Lines come while files do: bars are for a file of messages alone, and until the download's end. */
async function showDayFiles(args: CommandArgs, cli: CliHost, written: WrittenCounts): Promise<ReplayDisplay> {
  const reporter = await openTransferReporter(args, cli, writesFile(args));
  const teller = tellerOf(args, reporter);
  const isJson = readBooleanFlag(args, 'json');
  const isQuiet = readBooleanFlag(args, 'quiet');
  let isDownloading = false;
  const hide = await showFileProgress(args, cli, written, () => !isDownloading);
  return {
    teller: {
      ...teller,
      // The reporter is a quiet one then.
      ...(isJson && { note: plainNoteOf(args, cli) }),
      emit(event) {
        isDownloading ||= event.event === 'plan';
        teller.emit(event);
        if (isJson && !isQuiet) tellPlainly(event, cli);
      },
      onDownloaded(summary) {
        isDownloading = false;
        reporter.finish(summary);
      },
    },
    close: hide,
  };
}

/** What a reporter that is quiet for the sake of `--json` keeps back, as other commands tell it beside their JSON. */
function tellPlainly(event: RunEvent, { stderr, warn }: CliHost): void {
  if (event.event === 'warning') warn(event.message);
  else if (event.event === 'note') stderr.write(formatNote(event));
}
