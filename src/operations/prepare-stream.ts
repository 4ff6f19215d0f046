import { abortReason, TickhaulError, usageError } from '../base/errors.js';
import { parseDuration, plural } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
import type { LiveEvent, LiveInput, LiveOption } from '../live/live-options.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import { parseMessageType } from '../market/names/message-type-name.js';
import { STREAM_OPTIONS } from '../options/message-options.js';
import type { PartFile } from '../store/files.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readListFlag, readPath, readTimerMs } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import { type MessageOutput, readMessageOutput } from './message-output.js';
import { assertNamedOnce, readReplayOptions } from './selection/read-replay-request.js';
import { expandSymbolLists } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';

/** Lines of this interval are written to a file, and compressed, together. */
const FILE_GATHER_MS = 1000;

/** Receives the messages of a stream and the events of its connections. */
export interface StreamObserver {
  readonly onEvent: (event: LiveEvent) => void;
  /** Receives one line per HTTP request (`--verbose`). */
  readonly note?: ((line: string) => void) | undefined;
  /** Receives the lines, unless `--out` names a file. */
  readonly output: LineSink;
  /** Counters of what is written. */
  readonly written: WrittenCounts;
  /** Milliseconds that a write to the output may take after the end of the stream; default: no limit. */
  readonly patienceMs?: number | undefined;
}

/**
 * Prepares `stream` of live messages. The run ends successfully after `--for`, and on an interrupt.
 * @throws usage error.
 */
export async function prepareStream(
  args: CommandArgs,
  host: CommandHost,
): Promise<(observer: StreamObserver) => Promise<void>> {
  const options = await readOptions(args, host.signal);
  const forMs = readTimerMs(args, 'for');
  // A stream cannot be written to an object store.
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
    else await streamToOutput(out, written, patienceMs, streamTo);
    const reason = host.signal.aborted ? abortReason(host.signal) : undefined;
    if (reason !== undefined && reason.code !== 'interrupted') throw reason;
  };
}

/**
 * Opens the output before connecting. Live messages cannot be fetched again, so they are kept whatever ends
 * the stream.
 */
async function streamToOutput(
  out: MessageOutput,
  written: WrittenCounts,
  patienceMs: number | undefined,
  streamTo: (lines: LineSink, pace: Pick<LiveInput, 'gatherMs' | 'writeTimeoutMs'>) => Promise<void>,
): Promise<void> {
  const { compressionFromName, writeLinesToFile } = await import('../replay/file-output.js');
  const gatherMs = out.file || compressionFromName(out.name) !== 'none' ? FILE_GATHER_MS : 0;
  const pace = { gatherMs, writeTimeoutMs: out.file ? undefined : patienceMs };
  let failure: unknown;
  await writeLinesToFile(keepPartOnFailure(out, written, await out.open()), out.name, async (lines) => {
    try {
      await streamTo(lines, pace);
    } catch (error) {
      if (written.messages === 0) throw error;
      failure = error;
    }
  });
  if (failure !== undefined) throw addKeptPath(failure, out.file?.path, written);
}

/** Keeps the part file if it cannot be renamed, for example on a failing disk. */
function keepPartOnFailure(
  { file: target }: MessageOutput,
  written: WrittenCounts,
  file: PartFile,
): PartFile {
  let isKept = false;
  return {
    ...file,
    async publish() {
      try {
        return await file.publish();
      } catch (error) {
        isKept = written.messages > 0;
        throw isKept ? addKeptPath(error, target?.part, written) : error;
      }
    },
    discard: async () => {
      if (!isKept) await file.discard();
    },
  };
}

/** Adds to a disk error where the messages received before it are. */
function addKeptPath(error: unknown, path: string | undefined, { messages }: WrittenCounts): unknown {
  if (!(error instanceof TickhaulError) || path === undefined) return error;
  if (error.code !== 'disk' && error.code !== 'path_taken') return error;
  const [problem] = error.message.split('; ');
  return new TickhaulError(
    error.code,
    `${problem}; ${plural(messages, 'message')} received before are kept in ${path}; move that file before you stream to the same name again`,
    { cause: error },
  );
}

async function readOptions(args: CommandArgs, signal: AbortSignal): Promise<readonly LiveOption[]> {
  const names = readListFlag(args, 'type');
  if (!names) throw usageError('--type is required: normalized data types, such as --type trade,book_change');
  const types = [...new Set(names)].map(parseMessageType);
  const withDisconnects = readBooleanFlag(args, 'with-disconnects');
  const timeoutIntervalMs =
    readTimerMs(args, 'timeout-interval') ?? parseDuration(STREAM_OPTIONS['timeout-interval'].default);
  const replayOptions = await readReplayOptions(args, signal);
  assertNamedOnce(replayOptions);
  return replayOptions.map(({ exchange, symbols: choices }) => {
    const symbols = choices && expandSymbolLists(choices);
    const glob = symbols?.find((symbol) => /[*?]/.test(symbol));
    if (glob !== undefined)
      throw usageError(`"${glob}": name live symbols in full, as the exchange writes them`);
    const selectedSymbols = symbols?.includes('all') ? undefined : symbols;
    return { exchange, symbols: selectedSymbols, types, withDisconnects, timeoutIntervalMs };
  });
}
