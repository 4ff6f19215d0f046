import { startDeadline } from '../base/deadline.js';
import { abortReason, TickhaulError, usageError } from '../base/errors.js';
import type { LiveEvent, LiveOption } from '../live/types.js';
import type { LineSink, Written } from '../market/lines/line-sink.js';
import { parseDataTypeName } from '../market/names/data-type-name.js';
import { localFiles } from '../store/folder/local-files.js';
import type { Args } from './arguments/args.js';
import { readList, readPath, readTimer, readToggle } from './arguments/read.js';
import type { Host } from './host.js';
import { readReplayOptions, refuseTwice } from './selection/replay.js';
import { withSession } from './session.js';

const TIMEOUT_INTERVAL_MS = 10_000;
/** Lines of so many milliseconds are one write to a file, and compressed together. */
const FILE_GATHER_MS = 1000;

/** Who takes the messages of a stream, and hears of its connections. */
export interface StreamTeller {
  readonly tell: (event: LiveEvent) => void;
  /** Takes a line for each request, where that is wanted. */
  readonly note?: ((line: string) => void) | undefined;
  /** For the lines, where no file is to have them. */
  readonly output: LineSink;
  /** Counted up. */
  readonly written: Written;
  /** Milliseconds that a write to the output may take once the stream is ended; left out, any. */
  readonly patienceMs?: number | undefined;
}

/**
 * Live messages (contract, Replay, stream). What is prepared ends well after `--for`, and on an interrupt.
 * @throws usage error.
 */
export async function prepareStream(
  args: Args,
  host: Host,
): Promise<(teller: StreamTeller) => Promise<void>> {
  const options = await readOptions(args, host.signal);
  const forMs = readTimer(args, 'for');
  const out = readPath(args, 'out') ?? '-';
  return async ({ tell, note, output, written, patienceMs }) => {
    await withSession(args, host, { note }, async ({ client, settings }) => {
      const { streamLive } = await import('../live/stream.js');
      const end = startDeadline(forMs, new TickhaulError('interrupted', 'the time is over'));
      const signal = AbortSignal.any([host.signal, end.signal]);
      const input = { options, client, cache: settings.cacheDir, written, tell, signal };
      try {
        if (out === '-') await streamLive({ ...input, patienceMs, output });
        else {
          const gatherMs = FILE_GATHER_MS;
          await intoFile(out, (file) => streamLive({ ...input, gatherMs, output: file }));
        }
      } finally {
        end.clear();
      }
    });
    const reason = host.signal.aborted ? abortReason(host.signal) : undefined;
    if (reason !== undefined && reason.code !== 'interrupted') throw reason;
  };
}

/** What was received can't be had again: the file is kept where it is an exchange that ended the stream. */
async function intoFile(path: string, work: (file: LineSink) => Promise<void>): Promise<void> {
  const { toFile } = await import('../replay/file-output.js');
  let ended: TickhaulError | undefined;
  await toFile(localFiles, path, async (file) => {
    try {
      await work(file);
    } catch (error) {
      if (!(error instanceof TickhaulError) || error.code !== 'unreachable') throw error;
      ended = error;
    }
  });
  if (ended !== undefined) throw ended;
}

async function readOptions(args: Args, signal: AbortSignal): Promise<readonly LiveOption[]> {
  const names = readList(args, 'type');
  if (!names) throw usageError('--type is missing: name normalized data types, as --type trade,book_change');
  const types = [...new Set(names)].map(parseDataTypeName);
  const withDisconnects = readToggle(args, 'with-disconnects');
  const timeoutIntervalMs = readTimer(args, 'timeout-interval') ?? TIMEOUT_INTERVAL_MS;
  const named = await readReplayOptions(args, signal);
  refuseTwice(named);
  return named.map(({ exchange, symbols }) => {
    const glob = symbols?.find((symbol) => /[*?]/.test(symbol));
    if (glob !== undefined)
      throw usageError(`"${glob}": name live symbols in full, as the exchange writes them`);
    const asked = symbols?.includes('all') ? undefined : symbols;
    return { exchange, symbols: asked, types, withDisconnects, timeoutIntervalMs };
  });
}
