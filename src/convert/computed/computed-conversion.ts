import { basename } from 'node:path';
import { TickhaulError } from '../../base/errors.js';
import { type Day, msToDay } from '../../dataset/day.js';
import type { Batch, Schema } from '../../format/batch.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import { DayFileReader } from '../../format/csv/day-file-reader.js';
import type { TextSink } from '../../integrity/gunzip.js';
import { getNumbers } from '../../market/batch-columns.js';
import {
  type ComputedStream,
  createBarStream,
  createSnapshotStream,
} from '../../market/day-file/computed-stream.js';
import type { BookSnapshotType, ComputedType, TradeBarType } from '../../market/names/data-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { PartFile } from '../../store/files.js';
import type { ConversionResult } from '../conversion.js';
import type { SourceContent } from '../output/provenance.js';
import { appendBar, appendSnapshot } from './append-rows.js';
import { type ComputedOutput, openComputedOutput } from './computed-output.js';
import { columnMemories } from './encoder-cache.js';

export interface ComputedConversionInput {
  readonly path: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  /** Undefined where the rows have to tell it, by the first local timestamp. */
  readonly day: Day | undefined;
  readonly options: ConvertOptions;
  /** At least one, all of the same day files. Opened by the caller; published, or discarded, here. */
  readonly outputs: readonly { readonly type: ComputedType; readonly file: PartFile }[];
}

/** Some MiB of columns, whatever a day holds. */
const SOURCE_BATCH_ROWS = 8192;

/** Computed types of one day file, fed with its gunzipped text as it comes. Calls must not overlap. */
export interface ComputedConversion {
  /** Resolves when more may come; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** To be called when the source was proven whole: gives the outputs their names, and tells of each, in their order. */
  finish(source: SourceContent): Promise<readonly ConversionResult[]>;
  /** Leaves nothing behind; after `finish`, it does nothing. */
  abort(): Promise<void>;
}

/**
 * Begins to make computed types of a day file, all in one pass over it, in this thread.
 * @throws as `DayFileReader` does, from `appendOrWrite` and `finish`; usage error for a file of another data type. After that,
 * only `abort` may be called.
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
    numberText: false,
    memories: columnMemories,
  });
  let computed: ComputedStream | undefined;
  const take = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      computed ??= createComputedTypes(input, reader, outputs, batch);
      computed.push(batch);
    }
    // Only now: others of this thread parse in the same memory.
    for (const output of outputs) await output.flush();
  };
  return {
    write: ({ buffer, byteOffset, length }) => take(reader.push(Buffer.from(buffer, byteOffset, length))),
    async finish(found) {
      await take(reader.end());
      assertDataType(input, reader.dataType);
      computed?.end();
      const source = { name: basename(path), ...found };
      const converted: ConversionResult[] = [];
      for (const output of outputs) {
        const written = await output.finish({ source, options });
        const warning = converted.length === 0 ? reader.warning : undefined;
        converted.push({ ...written, dataType: reader.dataType, warning });
      }
      for (const { file } of input.outputs) await file.publish();
      return converted;
    },
    abort,
  };
}

/**
 * Makes computed types of a file.
 * @param read gives its text, and tells of it.
 * @throws what `read` throws, and as `startComputedConversion` does; nothing is left then.
 */
export async function convertSourceToComputed(
  input: ComputedConversionInput,
  read: (onText: TextSink) => Promise<SourceContent>,
): Promise<readonly ConversionResult[]> {
  const computing = await startComputedConversion(input);
  try {
    return await computing.finish(await read((text) => computing.write(text)));
  } finally {
    await computing.abort();
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

/** A name or a header may tell otherwise than was thought when the work was planned. */
function assertDataType({ path, outputs }: ComputedConversionInput, dataType: string): void {
  const other = outputs.find(({ type }) => type.dayFiles !== dataType);
  if (!other) return;
  const { name, dayFiles } = other.type;
  throw new TickhaulError('usage', `${path}: it holds ${dataType}, and ${name} is made of ${dayFiles}`);
}

const US_PER_DAY = 86_400_000_000;

function dayToPeriod(day: Day): Period {
  return { start: day * US_PER_DAY, end: (day + 1) * US_PER_DAY };
}

/** Day files are cut by local time. */
function readFirstDay(schema: Schema, batch: Batch): Day {
  return msToDay(Math.floor((getNumbers(schema, batch, 'local_timestamp')[0] ?? 0) / 1000));
}
