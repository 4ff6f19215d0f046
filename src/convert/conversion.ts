import { basename } from 'node:path';
import { plural } from '../base/units.js';
import type { DayFileHeader } from '../format/csv/day-file-header.js';
import { RowSplitter } from '../format/csv/row-splitter.js';
import { formatProvenance, type SourceContent } from './output/provenance.js';
import { BatchPipeline, type BatchPipelineInput } from './threads/batch-pipeline.js';

/** The caller opens `output`. The conversion closes the kernels, and publishes or discards the output. */
export interface ConversionInput extends BatchPipelineInput {
  /** Undefined if it must be read from the header. */
  readonly dataType?: string | undefined;
  /** Header of text without one. */
  readonly header?: DayFileHeader | undefined;
}

export interface ConversionResult {
  readonly rows: number;
  /** Size of the output. */
  readonly bytes: number;
  readonly dataType: string;
  /** Provenance record of the output. */
  readonly provenance: Readonly<Record<string, string>>;
  /** Lists the columns that the data type is not known to have. */
  readonly warning: string | undefined;
}

/** Conversion of one day file from its gunzipped text. Calls must not overlap, except `stop`. */
export interface Conversion {
  /** Resolves when the next chunk can be written; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** Resolves when all complete rows have been converted without an error. Call it if reading the source failed. */
  drain(): Promise<void>;
  /** Writes the end of the output. Call it after the source was verified. */
  end(source: SourceContent): Promise<ConversionResult>;
  /** Publishes the output. Call it after `end`. */
  publish(): Promise<void>;
  /** `end` and `publish`. */
  finish(source: SourceContent): Promise<ConversionResult>;
  /** Stops at once: pending calls throw the reason. */
  stop(reason: unknown): void;
  /** Discards the output; does nothing after `finish`. */
  abort(): Promise<void>;
}

/**
 * Starts a conversion. Of several errors, the first in the file is thrown.
 * @throws from `write`, `drain` and `finish`: TickhaulError `corrupt`, with line, column and cell; `disk`;
 * `usage` for an empty file of an unknown data type. After an error, only `abort` may be called.
 */
export function startConversion(input: ConversionInput): Conversion {
  const { path, dataType, header, options, output } = input;
  const pipeline = new BatchPipeline(input);
  const splitter = new RowSplitter(path, header ?? dataType, pipeline);

  let failure: unknown;
  /** Prefers an error of the earlier rows, which the pipeline may still be parsing. */
  const runInOrder = async <T>(work: () => Promise<T>): Promise<T> => {
    failure ??= pipeline.failure;
    if (failure !== undefined) throw failure;
    try {
      return await work();
    } catch (error) {
      await pipeline.endEarly();
      failure = pipeline.failure ?? error;
      throw failure;
    }
  };

  const end = (source: SourceContent): Promise<ConversionResult> =>
    runInOrder(async () => {
      const { dataType, warning: unknown } = await splitter.end();
      const writer = await pipeline.end();
      const { rows } = splitter;
      const record = { source: { name: basename(path), ...source }, dataType, rows, options };
      const provenance = formatProvenance(record);
      const written = await writer.finish(provenance);
      if (written.rows !== rows)
        throw new Error(`${path}: read ${plural(rows, 'row')} but wrote ${written.rows}`);
      const warning = unknown && `${unknown}; keeping them as text`;
      return { ...written, dataType, provenance, warning };
    });
  const publish = (): Promise<void> =>
    runInOrder(async () => {
      await output.publish();
      await pipeline.close();
    });

  return {
    write: (text) => runInOrder(() => splitter.push(text)),
    drain: () =>
      runInOrder(async () => {
        await splitter.flush();
        await pipeline.endEarly();
        if (pipeline.failure !== undefined) throw pipeline.failure;
      }),
    end,
    publish,
    async finish(source) {
      const result = await end(source);
      await publish();
      return result;
    },
    stop: (reason) => pipeline.stop(reason),
    async abort() {
      await pipeline.close();
      await output.discard();
    },
  };
}
