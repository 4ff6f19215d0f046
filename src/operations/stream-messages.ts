import { abortReason, TickhaulError, usageError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
import type { LiveEvent, LiveInput, LiveOption } from '../live/live-options.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import { parseMessageType } from '../market/message-type-name.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { PartFile } from '../store/files.js';
import type { Context } from './context.js';
import { findMessageOutput, type MessageOutput } from './message-output.js';
import { assertNamedOnce, readReplayOptions } from './selection/read-replay-request.js';
import { expandSymbolLists } from './selection/read-selection.js';

/** Lines of this interval are written to a file, and compressed, together. */
const FILE_GATHER_MS = 1000;

/** Receives the messages of a stream and the events of its connections. */
export interface StreamObserver {
  readonly onEvent: (event: LiveEvent) => void;
  /** Receives the lines, unless `--out` names a file. */
  readonly output: LineSink;
  /** Counters of what is written. */
  readonly written: WrittenCounts;
  /** Milliseconds that a write to the output may take after the end of the stream; default: no limit. */
  readonly patienceMs?: number | undefined;
}

type StreamValues = CommandValues<typeof COMMAND_OPTIONS.stream>;

/**
 * `stream`: writes live messages. It ends successfully after `--for`, and on an interrupt.
 * @throws usage error before it connects.
 */
export async function runStream(
  values: StreamValues,
  context: Context,
  { onEvent, output: reader, written, patienceMs }: StreamObserver,
): Promise<void> {
  const options = await readLiveOptions(values, context.signal);
  const out = await findMessageOutput(values.out, context);
  const streamTo = async (
    output: LineSink,
    pace: Pick<LiveInput, 'gatherMs' | 'writeTimeoutMs'>,
  ): Promise<void> => {
    const client = await context.client();
    const { cacheDir: cache } = await context.settings();
    const { streamLive } = await import('../live/stream-live.js');
    const end = startDeadline(values.forMs, new TickhaulError('interrupted', 'the time is over'));
    const signal = AbortSignal.any([context.signal, end.signal]);
    const input = { options, client, cache, written, emit: onEvent, signal };
    await streamLive({ ...input, ...pace, output }).finally(end.clear);
  };
  if (!out) await streamTo(reader, { writeTimeoutMs: patienceMs });
  else await streamToOutput(out, written, patienceMs, streamTo);
  const reason = context.signal.aborted ? abortReason(context.signal) : undefined;
  if (reason !== undefined && reason.code !== 'interrupted') throw reason;
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

async function readLiveOptions(values: StreamValues, signal: AbortSignal): Promise<readonly LiveOption[]> {
  const { types: names, withDisconnects, timeoutIntervalMs } = values;
  if (!names) throw usageError('--type is required: normalized data types, such as --type trade,book_change');
  const types = [...new Set(names)].map(parseMessageType);
  const replayOptions = await readReplayOptions(values, signal);
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
