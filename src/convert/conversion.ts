import { basename } from 'node:path';
import { RowSplitter } from '../format/csv/row-splitter.js';
import { formatProvenance, type SourceContent } from './output/provenance.js';
import { BatchPipeline, type BatchPipelineInput } from './threads/batch-pipeline.js';

/** `output` is opened by the caller; closed and published, or discarded, by the conversion, which closes kernels too. */
export interface ConversionInput extends BatchPipelineInput {
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
}

export interface ConversionResult {
  readonly rows: number;
  /** Of the output. */
  readonly bytes: number;
  readonly dataType: string;
  /** What the output was made from, and how. */
  readonly note: Readonly<Record<string, string>>;
  /** Names columns that the data type isn't known to have. */
  readonly warning: string | undefined;
}

/** One day file's conversion, fed with its gunzipped text as it comes. Calls must not overlap, but for `stop`. */
export interface Conversion {
  /** Resolves when more may come; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** Resolves when all text so far was found right: for when something is wrong behind it. */
  drain(): Promise<void>;
  /** To be called when the source was proven whole: gives the output its name. */
  finish(source: SourceContent): Promise<ConversionResult>;
  /** Breaks off at once: what is under way throws the reason. */
  stop(reason: unknown): void;
  /** Leaves nothing behind; after `finish`, it does nothing. */
  abort(): Promise<void>;
}

/**
 * Begins a conversion. Of several things that are wrong, the first in the file is told.
 * @throws from `appendOrWrite`, `processFile` and `finish`, TickhaulError `createCorruptError`, naming line, column and cell; `disk`; `usage`
 * for an empty file whose data type nothing tells. After that, only `abort` may be called.
 */
export function startConversion(input: ConversionInput): Conversion {
  const { path, dataType, options, output } = input;
  const line = new BatchPipeline(input);
  const cutter = new RowSplitter(path, dataType, line);

  let failure: unknown;
  /** What is wrong with the rows before comes first. */
  const inOrder = async <T>(work: () => Promise<T>): Promise<T> => {
    failure ??= line.failure;
    if (failure !== undefined) throw failure;
    try {
      return await work();
    } catch (error) {
      await line.waitForRows();
      failure = line.failure ?? error;
      throw failure;
    }
  };

  return {
    write: (text) => inOrder(() => cutter.push(text)),
    drain: () =>
      inOrder(async () => {
        await cutter.flush();
        await line.waitForRows();
        if (line.failure !== undefined) throw line.failure;
      }),
    finish: (source) =>
      inOrder(async () => {
        const { dataType, warning } = await cutter.end();
        const writer = await line.end();
        const { rows } = cutter;
        const record = { source: { name: basename(path), ...source }, dataType, rows, options };
        const written = await writer.finish(record);
        if (written.rows !== rows)
          throw new Error(`${path}: ${rows} rows were read and ${written.rows} written`);
        await output.publish();
        await line.close();
        return { ...written, dataType, note: formatProvenance(record), warning };
      }),
    stop: (reason) => line.stop(reason),
    async abort() {
      await line.close();
      await output.discard();
    },
  };
}
