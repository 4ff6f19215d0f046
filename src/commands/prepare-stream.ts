import { startDeadline } from '../base/deadline.js';
import { abortReason, TickhaulError, usageError } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { LiveEvent, LiveInput, LiveOption } from '../live/live-options.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-sink.js';
import { parseDataTypeName } from '../market/names/data-type-name.js';
import type { PartFile } from '../store/files.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readListFlag, readPath, readTimerMs } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import { type MessageOutput, readMessageOutput } from './message-output.js';
import { assertNamedOnce, readReplayOptions } from './selection/read-replay-request.js';
import { withServiceSession } from './service-session.js';

const TIMEOUT_INTERVAL_MS = 10_000;
/** Lines of so many milliseconds are one write to a file, and compressed together. */
const FILE_GATHER_MS = 1000;

/** Who takes the messages of a stream, and hears of its connections. */
export interface StreamObserver {
  readonly onEvent: (event: LiveEvent) => void;
  /** Takes a line for each request, where that is wanted. */
  readonly note?: ((line: string) => void) | undefined;
  /** For the lines, where no file is to have them. */
  readonly output: LineSink;
  /** Counted up. */
  readonly written: WrittenCounts;
  /** Milliseconds that a write to the output may take once the stream is ended; left out, any. */
  readonly patienceMs?: number | undefined;
}

/**
 * Live messages (contract, Replay, stream). What is prepared ends well after `--for`, and on an interrupt.
 * @throws usage error.
 */
export async function prepareStream(
  args: CommandArgs,
  host: CommandHost,
): Promise<(teller: StreamObserver) => Promise<void>> {
  const options = await readOptions(args, host.signal);
  const forMs = readTimerMs(args, 'for');
  // No stream goes to an object store.
  readPath(args, 'out');
  const out = await readMessageOutput(args, host);
  return async ({ onEvent, note, output: reader, written, patienceMs }) => {
    const streamTo = (
      output: LineSink,
      pace: Pick<LiveInput, 'gatherMs' | 'writeTimeoutMs'>,
    ): Promise<void> =>
      withServiceSession(args, host, { note }, async ({ client, settings }) => {
        const { streamLive } = await import('../live/stream-live.js');
        const end = startDeadline(forMs, new TickhaulError('interrupted', 'the time is over'));
        const signal = AbortSignal.any([host.signal, end.signal]);
        const input = { options, client, cache: settings.cacheDir, written, emit: onEvent, signal };
        await streamLive({ ...input, ...pace, output }).finally(end.clear);
      });
    if (!out) await streamTo(reader, { writeTimeoutMs: patienceMs });
    else await intoOutput(out, written, patienceMs, streamTo);
    const reason = host.signal.aborted ? abortReason(host.signal) : undefined;
    if (reason !== undefined && reason.code !== 'interrupted') throw reason;
  };
}

/** Opens the output before anything is connected. What was received can't be had again: whatever ends the stream, it is kept. */
async function intoOutput(
  out: MessageOutput,
  written: WrittenCounts,
  patienceMs: number | undefined,
  streamTo: (lines: LineSink, pace: Pick<LiveInput, 'gatherMs' | 'writeTimeoutMs'>) => Promise<void>,
): Promise<void> {
  const { compressionFromName, writeLinesToFile } = await import('../replay/file-output.js');
  const gatherMs = out.file || compressionFromName(out.name) !== 'none' ? FILE_GATHER_MS : 0;
  const pace = { gatherMs, writeTimeoutMs: out.file ? undefined : patienceMs };
  let failure: unknown;
  await writeLinesToFile(keepUnnamed(out, written, await out.open()), out.name, async (lines) => {
    try {
      await streamTo(lines, pace);
    } catch (error) {
      if (written.messages === 0) throw error;
      failure = error;
    }
  });
  if (failure !== undefined) throw keptError(failure, out.file?.path, written);
}

/** A file that can't have its name, as on a disk that fails, is left where its bytes are. */
function keepUnnamed({ file: named }: MessageOutput, written: WrittenCounts, file: PartFile): PartFile {
  let isKept = false;
  return {
    ...file,
    async publish() {
      try {
        return await file.publish();
      } catch (error) {
        isKept = written.messages > 0;
        throw isKept ? keptError(error, named?.part, written) : error;
      }
    },
    discard: async () => {
      if (!isKept) await file.discard();
    },
  };
}

/** Of a disk that failed, says where the messages are that came before. */
function keptError(error: unknown, path: string | undefined, { messages }: WrittenCounts): unknown {
  if (!(error instanceof TickhaulError) || path === undefined) return error;
  if (error.code !== 'disk' && error.code !== 'path_taken') return error;
  const [what] = error.message.split('; ');
  return new TickhaulError(
    error.code,
    `${what}; ${plural(messages, 'message')} received before it kept in ${path}: move that file before you stream to its name again`,
    { cause: error },
  );
}

async function readOptions(args: CommandArgs, signal: AbortSignal): Promise<readonly LiveOption[]> {
  const names = readListFlag(args, 'type');
  if (!names) throw usageError('--type is missing: name normalized data types, as --type trade,book_change');
  const types = [...new Set(names)].map(parseDataTypeName);
  const withDisconnects = readBooleanFlag(args, 'with-disconnects');
  const timeoutIntervalMs = readTimerMs(args, 'timeout-interval') ?? TIMEOUT_INTERVAL_MS;
  const named = await readReplayOptions(args, signal);
  assertNamedOnce(named);
  return named.map(({ exchange, symbols }) => {
    const glob = symbols?.find((symbol) => /[*?]/.test(symbol));
    if (glob !== undefined)
      throw usageError(`"${glob}": name live symbols in full, as the exchange writes them`);
    const asked = symbols?.includes('all') ? undefined : symbols;
    return { exchange, symbols: asked, types, withDisconnects, timeoutIntervalMs };
  });
}
