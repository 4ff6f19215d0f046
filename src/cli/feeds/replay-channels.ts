import { readPath, readSize, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import { readSpeed } from '../../commands/selection/replay.js';
import { readDownloadOptions, readStallTimeout } from '../../commands/selection/selection.js';
import { withSession } from '../../commands/session.js';
import type { RunEvent } from '../../run/events.js';
import type { Args, Cli } from '../arguments/types.js';
import { pauseLine, warningLine } from '../output/messages.js';
import { chalkFor } from '../output/text/color.js';
import { noteOf } from '../session.js';
import { readCacheFolder } from './cache-folder.js';
import { createReplayProgress, type ReplayProgress, silentProgress } from './progress.js';
import { readFeedRequest } from './read-channels.js';

/** `replay --channel`: an exchange's own messages (contract, Replay). @param written counted up. */
export async function replayChannels(
  args: Args,
  cli: Cli,
  written: { messages: number; bytes: number },
): Promise<void> {
  const { signal } = cli;
  const request = await readFeedRequest(args, signal);
  const speed = readSpeed(args);
  const out = readPath(args, 'out') ?? '-';
  const stallTimeoutMs = readStallTimeout(args);
  const settings = await loadSettings(args, cli);
  const cacheFolder = readCacheFolder(args, cli, settings);
  const cacheLimit = readSize(args, 'cache-limit');
  const { concurrency, retries, maxWaitMs, maxRate } = readDownloadOptions(args, settings.downloadDir);
  const { createFeedRun } = await import('../../feeds/run.js');
  const { openFeed } = await import('../../feeds/open.js');
  const { replayRaw } = await import('../../replay/raw/replay-raw.js');
  const { ReaderGone, streamOutput, toFile } = await import('../../replay/output.js');
  if (readToggle(args, 'clear-cache')) {
    const { clearSlices } = await import('../../feeds/cache/slice-cache.js');
    await clearSlices(cacheFolder);
  }
  const minutes = request.range.end - request.range.start;
  const progress = openProgress(args, cli, minutes, written, out);
  const emit = tellEvents(args, cli, progress);
  const note = noteOf(args, (line) => progress.print(`${line}\n`));
  const work = async (): Promise<void> => {
    await withSession(args, cli, { stallTimeoutMs, settings, note }, async ({ client }) => {
      const offline = readToggle(args, 'offline');
      const options = { client, cacheFolder, cacheLimit, offline, concurrency, retries, maxWaitMs, maxRate };
      const run = createFeedRun({ ...options, emit, signal });
      const feed = await openFeed(run, request, settings.cacheDir);
      const { length } = feed.parts;
      const input = {
        run,
        feed,
        withDisconnects: readToggle(args, 'with-disconnects'),
        speed,
        written,
        // Each part of a feed goes through the whole period.
        onMinutes: (more: number) => progress.onMinutes(more / length),
        signal,
      };
      if (out !== '-') await toFile(out, (output) => replayRaw({ ...input, output }));
      else {
        await replayRaw({ ...input, output: streamOutput(cli.dataOut) }).catch((error: unknown) => {
          if (!(error instanceof ReaderGone)) throw error;
        });
      }
      await run.cache.trim();
    });
  };
  try {
    await work();
  } finally {
    progress.close();
  }
  if (written.bytes === 0) emit({ event: 'warning', message: 'no message of the period matches' });
}

function openProgress(
  args: Args,
  { stderr, stdout }: Cli,
  minutes: number,
  written: { readonly messages: number },
  out: string,
): ReplayProgress {
  if (readToggle(args, 'quiet')) return silentProgress();
  const redraws = stderr.isTTY === true && (out !== '-' || stdout.isTTY !== true);
  return createReplayProgress(stderr, minutes, redraws, written);
}

/** Warnings and pauses as lines; the rest only shows in the bars of a download. */
function tellEvents(args: Args, { stderr, env }: Cli, progress: ReplayProgress): (event: RunEvent) => void {
  if (readToggle(args, 'quiet')) return () => {};
  const chalk = chalkFor(stderr, env, readToggle(args, 'no-color'));
  return (event) => {
    if (event.event === 'warning') progress.print(warningLine(event, chalk));
    else if (event.event === 'pause') progress.print(pauseLine(event, chalk));
  };
}
