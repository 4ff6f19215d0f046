import { basename } from 'node:path';
import { TickhaulError } from '../../base/errors.js';
import { type Day, msToDay, US_PER_DAY } from '../../dataset/day.js';
import type { Batch, Schema } from '../../format/batch.js';
import { DayFileReader } from '../../format/csv/day-file-reader.js';
import type { OutputOptions } from '../../format/output-options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import { getNumbers } from '../../market/batch-columns.js';
import {
  type ComputedStream,
  createBarStream,
  createSnapshotStream,
} from '../../market/day-file/computed-stream.js';
import type { BookSnapshotType, ComputedType, TradeBarType } from '../../market/names/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { ConversionResult } from '../conversion.js';
import type { ConversionSink } from '../output/conversion-sink.js';
import type { SourceContent } from '../output/provenance.js';
import { appendBar, appendSnapshot } from './append-rows.js';
import { type ComputedOutput, openComputedOutput } from './computed-output.js';
import { columnMemories } from './encoder-cache.js';

export interface ComputedConversionInput {
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Undefined to use the day of the first local timestamp. */
  readonly day: Day | undefined;
  readonly options: OutputOptions;
  /**
   * At least one; all are computed from the same data type. The caller opens the files; the conversion closes
   * them.
   */
  readonly outputs: readonly { readonly type: ComputedType; readonly file: ConversionSink }[];
}

/** Keeps the columns of a batch at a few MiB. */
const SOURCE_BATCH_ROWS = 8192;

/** Conversion of one day file to computed types, from its gunzipped text. Calls must not overlap. */
export interface ComputedConversion {
  /** Resolves when the next chunk can be written; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** Publishes the outputs and returns their results in order. Call it after the source was verified. */
  finish(source: SourceContent): Promise<readonly ConversionResult[]>;
  /** Discards the outputs; does nothing after `finish`. */
  abort(): Promise<void>;
}

/**
 * Starts to compute types of a day file, in one pass and in this thread.
 * @throws from `write` and `finish`: as `DayFileReader` does; TickhaulError `usage` for a file of another
 * data type. After an error, only `abort` may be called.
 */
export async function startComputedConversion(input: ComputedConversionInput): Promise<ComputedConversion> {
  const { path, options } = input;
  const abort = async (): Promise<void> => {
    for (const { file } of input.outputs) await file.discard();
  };
  const outputs: ComputedOutput[] = [];
  try {
    for (const { type, file } of input.outputs) {
      outputs.push(await openComputedOutput(type, file, options));
    }
  } catch (error) {
    await abort();
    throw error;
  }
  const reader = new DayFileReader({
    path,
    dataType: input.dataType,
    batchRows: () => SOURCE_BATCH_ROWS,
    numberText: 'none',
    memories: columnMemories,
  });
  let computed: ComputedStream | undefined;
  const processBatches = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      computed ??= createComputedTypes(input, reader, outputs, batch);
      computed.push(batch);
    }
    // Flush only after the last batch: during the writes, other conversions of this thread parse in the same
    // memory.
    for (const output of outputs) await output.flush();
  };
  return {
    write: ({ buffer, byteOffset, length }) =>
      processBatches(reader.push(Buffer.from(buffer, byteOffset, length))),
    async finish(found) {
      await processBatches(reader.end());
      assertDataType(input, reader.dataType);
      computed?.end();
      const source = { name: basename(path), ...found };
      const converted: ConversionResult[] = [];
      for (const output of outputs) {
        const written = await output.finish({ source, options });
        const unknown = converted.length === 0 ? reader.warning : undefined;
        const warning = unknown && `${unknown}; ignoring them`;
        converted.push({ ...written, dataType: reader.dataType, warning });
      }
      for (const { file } of input.outputs) await file.publish();
      return converted;
    },
    abort,
  };
}

/**
 * Converts a file to computed types.
 * @param read passes the text of the file to `onText`.
 * @throws errors of `read` and `startComputedConversion`; no output is left then.
 */
export async function convertSourceToComputed(
  input: ComputedConversionInput,
  read: (onText: TextSink) => Promise<SourceContent>,
): Promise<readonly ConversionResult[]> {
  const conversion = await startComputedConversion(input);
  try {
    return await conversion.finish(await read((text) => conversion.write(text)));
  } finally {
    await conversion.abort();
  }
}

function createComputedTypes(
  input: ComputedConversionInput,
  { schema, dataType }: DayFileReader,
  outputs: readonly ComputedOutput[],
  first: Batch,
): ComputedStream {
  assertDataType(input, dataType);
  const byType = new Map(outputs.map((output) => [output.type, output]));
  const types = outputs.map(({ type }) => type);
  if (dataType === 'trades') {
    const bars = types.filter((type): type is TradeBarType => type.kind === 'trade_bar');
    const day = dayToPeriod(input.day ?? readFirstDay(schema, first));
    return createBarStream(schema, bars, day, (bar) => byType.get(bar.type)?.addResult(bar, appendBar));
  }
  const snapshots = types.filter((type): type is BookSnapshotType => type.kind === 'book_snapshot');
  return createSnapshotStream(schema, snapshots, (snapshot) =>
    byType.get(snapshot.type)?.addResult(snapshot, appendSnapshot),
  );
}

/** The data type in the file can differ from the planned one. */
function assertDataType({ path, outputs }: ComputedConversionInput, dataType: string): void {
  const other = outputs.find(({ type }) => type.dayFileType !== dataType);
  if (!other) return;
  const { name, dayFileType } = other.type;
  throw new TickhaulError(
    'usage',
    `${path} contains ${dataType}, but ${name} is computed from ${dayFileType}; choose another type`,
  );
}

function dayToPeriod(day: Day): Period {
  return { start: day * US_PER_DAY, end: (day + 1) * US_PER_DAY };
}

/** Day files are split by local time. */
function readFirstDay(schema: Schema, batch: Batch): Day {
  return msToDay(Math.floor((getNumbers(schema, batch, 'local_timestamp')[0] ?? 0) / 1000));
}
