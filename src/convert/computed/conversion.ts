import { basename } from 'node:path';
import { TickhaulError } from '../../base/errors.js';
import { type Day, dayOfMs } from '../../dataset/day.js';
import type { Batch, Schema } from '../../format/columns.js';
import { DayFileReader } from '../../format/csv/day-file-reader.js';
import type { ConvertOptions } from '../../format/options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import { valuesOf } from '../../market/columns.js';
import { type ComputedTypes, createBars, createSnapshots } from '../../market/day-file/computed-types.js';
import type { BookSnapshotType, ComputedType, TradeBarType } from '../../market/names/data-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { PartFile } from '../../store/files.js';
import type { Converted } from '../conversion.js';
import type { SourceBytes } from '../output/record.js';
import { memories } from './encoder-shelf.js';
import { type ComputedOutput, openComputedOutput } from './output.js';
import { putBar, putSnapshot } from './rows.js';

export interface ComputedInput {
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
const SOURCE_ROWS = 8192;

/** Computed types of one day file, fed with its gunzipped text as it comes. Calls must not overlap. */
export interface Computing {
  /** Resolves when more may come; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** To be called when the source was proven whole: gives the outputs their names, and tells of each, in their order. */
  finish(source: SourceBytes): Promise<readonly Converted[]>;
  /** Leaves nothing behind; after `finish`, it does nothing. */
  abort(): Promise<void>;
}

/**
 * Begins to make computed types of a day file, all in one pass over it, in this thread.
 * @throws as `DayFileReader` does, from `write` and `finish`; usage error for a file of another data type. After that,
 * only `abort` may be called.
 */
export async function startComputing(input: ComputedInput): Promise<Computing> {
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
    batchRows: () => SOURCE_ROWS,
    numberText: false,
    memories,
  });
  let computed: ComputedTypes | undefined;
  const take = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      computed ??= begin(input, reader, outputs, batch);
      computed.push(batch);
    }
    // Only now: others of this thread parse in the same memory.
    for (const output of outputs) await output.flush();
  };
  return {
    write: ({ buffer, byteOffset, length }) => take(reader.push(Buffer.from(buffer, byteOffset, length))),
    async finish(found) {
      await take(reader.end());
      checkDataType(input, reader.dataType);
      computed?.end();
      const source = { name: basename(path), ...found };
      const converted: Converted[] = [];
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
 * @throws what `read` throws, and as `startComputing` does; nothing is left then.
 */
export async function computeSource(
  input: ComputedInput,
  read: (onText: TextSink) => Promise<SourceBytes>,
): Promise<readonly Converted[]> {
  const computing = await startComputing(input);
  try {
    return await computing.finish(await read((text) => computing.write(text)));
  } finally {
    await computing.abort();
  }
}

function begin(
  input: ComputedInput,
  { schema, dataType }: DayFileReader,
  outputs: readonly ComputedOutput[],
  first: Batch,
): ComputedTypes {
  checkDataType(input, dataType);
  const byType = new Map(outputs.map((output) => [output.type, output]));
  const types = outputs.map(({ type }) => type);
  if (dataType === 'trades') {
    const bars = types.filter((type): type is TradeBarType => type.kind === 'trade_bar');
    const day = periodOf(input.day ?? firstDay(schema, first));
    return createBars(schema, bars, day, (bar) => byType.get(bar.type)?.add(bar, putBar));
  }
  const snapshots = types.filter((type): type is BookSnapshotType => type.kind === 'book_snapshot');
  return createSnapshots(schema, snapshots, (snapshot) =>
    byType.get(snapshot.type)?.add(snapshot, putSnapshot),
  );
}

/** A name or a header may tell otherwise than was thought when the work was planned. */
function checkDataType({ path, outputs }: ComputedInput, dataType: string): void {
  const other = outputs.find(({ type }) => type.dayFiles !== dataType);
  if (!other) return;
  const { name, dayFiles } = other.type;
  throw new TickhaulError('usage', `${path}: it holds ${dataType}, and ${name} is made of ${dayFiles}`);
}

const MICROS_A_DAY = 86_400_000_000;

function periodOf(day: Day): Period {
  return { start: day * MICROS_A_DAY, end: (day + 1) * MICROS_A_DAY };
}

/** Day files are cut by local time. */
function firstDay(schema: Schema, batch: Batch): Day {
  return dayOfMs(Math.floor((valuesOf(schema, batch, 'local_timestamp')[0] ?? 0) / 1000));
}
