import { usageError } from '../base/errors.js';
import { openSink, resolveOutput } from '../base/output-sink.js';
import type { RunSummary } from '../events/run-events.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import type { NormalizedType } from '../market/message-type-name.js';
import type { Files, PartFile } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';
import type { Context } from './context.js';
import type { ReplayValues } from './selection/read-replay-request.js';

/** Receives the messages of a replay and the progress of its downloads. */
export interface ReplayOutput {
  /** Called with the summary of the download of missing day files. */
  readonly onDownloaded: (summary: RunSummary) => void;
  /** Called after more minutes of a feed were read. @param period minutes of the whole period. */
  readonly onMinutes?: ((minutes: number, period: number) => void) | undefined;
  /** Receives the lines, unless `--out` names a file. */
  readonly output: LineSink;
  /** Counters of what is written. */
  readonly written: WrittenCounts;
}

/** Runs `work` with the output of messages: `--out`, which is opened first, else the given `output`. */
export type WithMessageOutput = (output: LineSink, work: (lines: LineSink) => Promise<void>) => Promise<void>;

/** The target of `--out`. */
export interface MessageOutput {
  /** As the user wrote it. */
  readonly name: string;
  /** Path of a regular file, and of the part file that holds its bytes until it is published. */
  readonly file?: { readonly path: string; readonly part: string } | undefined;
  /**
   * Opens the target. `publish` does nothing unless it is a file or an object.
   * @throws usage error; `disk`, `path_taken`; the reason of an abort while a named pipe has no reader.
   */
  open(): Promise<PartFile>;
}

/**
 * Reads `--out` and `--format`, and prepares the output.
 * @param types types of the messages; undefined for those of an exchange.
 * @throws usage error; `disk`, `path_taken`.
 */
export async function withMessageOutput(
  { format, out, withDisconnects }: Pick<ReplayValues, 'format' | 'out' | 'withDisconnects'>,
  context: Context,
  types?: readonly NormalizedType[],
): Promise<WithMessageOutput> {
  if (format === 'json' && out.endsWith('.arrow'))
    throw usageError(`--out ${out}: the messages would be JSON lines; add --format arrow, or use .ndjson`);
  const arrowType = format === 'json' ? undefined : readArrowType(withDisconnects, types);
  const withLines = await withLineOutput(out, context);
  if (!arrowType) return withLines;
  const container = out.endsWith('.arrow') ? 'file' : 'stream';
  return (output, work) =>
    withLines(output, async (bytes) => {
      const { createArrowLineSink } = await import('../replay/arrow-line-sink.js');
      const lines = createArrowLineSink(bytes, arrowType, container);
      try {
        await work(lines);
      } catch (error) {
        // After an abort, a reader that does not read must not delay the end. A file stays without its name.
        if (container === 'stream' && !context.signal.aborted) await lines.breakOff().catch(() => {});
        throw error;
      }
      await lines.end();
    });
}

/** The only type of the messages. @throws usage error if there are several, or others may be among them. */
function readArrowType(withDisconnects: boolean, types: readonly NormalizedType[] = []): NormalizedType {
  const [type] = types;
  if (!type)
    throw usageError('--format arrow: requires --type, since native messages have no columns; omit it');
  if (types.length > 1)
    throw usageError('--format arrow: takes one type, since each has other columns; replay them one by one');
  if (withDisconnects)
    throw usageError('--format arrow and --with-disconnects cannot be combined; omit one of them');
  return type;
}

async function withLineOutput(path: string, context: Context): Promise<WithMessageOutput> {
  const out = await findMessageOutput(path, context);
  if (!out) return (output, work) => work(output);
  return async (_output, work) => {
    const { writeLinesToFile } = await import('../replay/file-output.js');
    await writeLinesToFile(await out.open(), out.name, work);
  };
}

/** The target of `--out`; undefined for `-` or if it is absent. @throws usage error; `disk`, `path_taken`. */
export async function findMessageOutput(name: string, context: Context): Promise<MessageOutput | undefined> {
  if (name === '-') return undefined;
  const { signal } = context;
  if (isObjectLocation(name)) {
    const store = await context.storeOf([name]);
    return { name, open: () => openPart(openFiles(store), name, undefined, signal) };
  }
  const target = await resolveOutput('--out', name);
  if (target.kind === 'file') {
    const { path } = target;
    const part = `${path}.part`;
    return { name, file: { path, part }, open: () => openPart(openFiles(), path, part, signal) };
  }
  return {
    name,
    async open() {
      const { write, close } = await openSink(target, context);
      return { write, publish: async () => undefined, discard: close };
    },
  };
}

/** Opens a part file whose `discard`, which is called after `publish` too, also closes `files`. */
async function openPart(
  files: Files,
  location: string,
  part: string | undefined,
  signal: AbortSignal,
): Promise<PartFile> {
  try {
    const file = await files.openPart(location, part, signal);
    return { ...file, discard: () => file.discard().finally(() => files.close()) };
  } catch (error) {
    await files.close();
    throw error;
  }
}
