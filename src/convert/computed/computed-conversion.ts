import { basename } from 'node:path';
import { TickhaulError } from '../../base/errors.js';
import { type Day, msToDay, US_PER_DAY } from '../../day-files/day.js';
import type { Batch } from '../../format/batch.js';
import { RowReader } from '../../format/csv/row-reader.js';
import type { OutputOptions } from '../../format/output-format.js';
import type { TextSink } from '../../gzip/gunzip.js';
import { getNumbers } from '../../market/batch-columns.js';
import {
  type ComputedStream,
  createBarStream,
  createSnapshotStream,
} from '../../market/day-file/computed-stream.js';
import type { BookSnapshotType, ComputedType, TradeBarType } from '../../market/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { Files, PartFile, StoredFileInfo } from '../../store/files.js';
import { statSource } from '../../store/open-files.js';
import {
  type Conversion,
  type ConversionResult,
  type ConversionSink,
  startConversion,
} from '../conversion.js';
import {
  type ConvertFileResult,
  hashSource,
  readUnchangedSource,
  removeIfUnchanged,
} from '../convert-file.js';
import { findUpToDateOutput } from '../output/existing-outputs.js';
import type { SourceContent } from '../output/provenance.js';
import { columnMemories, createLocalKernels } from '../threads/local-kernel.js';
import { ComputedRows, computedColumns } from './computed-rows.js';

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

interface ComputedOutput {
  readonly type: ComputedType;
  readonly rows: ComputedRows;
  readonly conversion: Conversion;
}

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
 * Starts to compute types of a day file, in one pass and in this thread. The rows of each type become text, which is
 * converted like that of a day file.
 * @throws from `write` and `finish`: as `RowReader` and `startConversion` do; TickhaulError `usage` for a file of
 * another data type. After an error, only `abort` may be called.
 */
export function startComputedConversion(input: ComputedConversionInput): ComputedConversion {
  const { path, options } = input;
  const outputs = input.outputs.map(({ type, file }): ComputedOutput => {
    const header = { dataType: type.name, schema: computedColumns(type), warning: undefined };
    const kernels = createLocalKernels(true);
    const conversion = startConversion({ path, header, options, output: file, kernels });
    return { type, rows: new ComputedRows(type), conversion };
  });
  const reader = new RowReader({
    path,
    dataType: input.dataType,
    batchRows: SOURCE_BATCH_ROWS,
    numberText: 'none',
    memories: columnMemories,
  });
  let computed: ComputedStream | undefined;
  const convertRows = async (): Promise<void> => {
    for (const { conversion, rows } of outputs) await conversion.write(rows.takeText());
  };
  const processBatches = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      computed ??= createComputedTypes(input, reader.dataType, outputs, batch);
      computed.push(batch);
    }
    // Only after the last batch: meanwhile, other conversions of this thread parse in the same memory.
    await convertRows();
  };
  return {
    write: ({ buffer, byteOffset, length }) =>
      processBatches(reader.push(Buffer.from(buffer, byteOffset, length))),
    async finish(source) {
      await processBatches(reader.end());
      assertDataType(input, reader.dataType);
      computed?.end();
      await convertRows();
      const converted: ConversionResult[] = [];
      for (const { conversion } of outputs) {
        const unknown = converted.length === 0 ? reader.warning : undefined;
        const warning = unknown && `${unknown}; ignoring them`;
        converted.push({ ...(await conversion.end(source)), dataType: reader.dataType, warning });
      }
      for (const { conversion } of outputs) await conversion.publish();
      return converted;
    },
    async abort() {
      for (const { conversion } of outputs) await conversion.abort();
    },
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
  const conversion = startComputedConversion(input);
  try {
    return await conversion.finish(await read((text) => conversion.write(text)));
  } finally {
    await conversion.abort();
  }
}

function createComputedTypes(
  input: ComputedConversionInput,
  dataType: string,
  outputs: readonly ComputedOutput[],
  first: Batch,
): ComputedStream {
  assertDataType(input, dataType);
  const byType = new Map(outputs.map((output) => [output.type, output]));
  const types = outputs.map(({ type }) => type);
  if (dataType === 'trades') {
    const bars = types.filter((type): type is TradeBarType => type.kind === 'trade_bar');
    const day = dayToPeriod(input.day ?? readFirstDay(first));
    return createBarStream(bars, day, (bar) => byType.get(bar.type)?.rows.addBar(bar));
  }
  const snapshots = types.filter((type): type is BookSnapshotType => type.kind === 'book_snapshot');
  return createSnapshotStream(snapshots, (snapshot) => byType.get(snapshot.type)?.rows.addSnapshot(snapshot));
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
function readFirstDay(batch: Batch): Day {
  return msToDay(Math.floor((getNumbers(batch, 'local_timestamp')[0] ?? 0) / 1000));
}

/**
 * Computed types of one day file as plain data, which can be posted to a thread. Files are named by location.
 */
export interface ComputedFileJob {
  readonly source: string;
  readonly outputs: readonly ComputedTarget[];
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Undefined if it must be found from the rows. */
  readonly day: Day | undefined;
  readonly options: OutputOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Processors that nothing else in the run uses. */
  readonly spareProcessors: number;
}

export interface ComputedTarget {
  readonly type: ComputedType;
  readonly target: string;
  /** Provenance record of an existing output whose format has no metadata. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * Computes the types of a file that are not up to date.
 * @param onBytes called with the number of compressed bytes just read, and the size of the source.
 * @returns the results of the outputs, in their order.
 * @throws TickhaulError; failed outputs are not left behind.
 */
export async function convertFileToComputed(
  job: ComputedFileJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  const found = await statSource(files, job.source, signal);
  const results = new Map<ComputedTarget, ConvertFileResult>();
  if (job.existing === 'skip') {
    for (const [output, result] of await findUpToDateOutputs(job, files, found, signal))
      results.set(output, result);
  }
  const missing = job.outputs.filter((output) => !results.has(output));
  const onRead = (count: number): void => onBytes(count, found.bytes);
  const inflateThreads = job.spareProcessors < 1 ? 0 : undefined;
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, job.source, found, { onText, onBytes: onRead, inflateThreads, signal });
  const converted = missing.length > 0 ? await convertOutputs(job, missing, files, read, signal) : [];
  for (const [i, result] of converted.entries()) results.set(missing[i] as ComputedTarget, result);
  const isHandled = job.keepSource || (await removeIfUnchanged(files, job.source, found, signal));
  const warning = isHandled ? undefined : `${job.source}: changed during the conversion; keeping it`;
  return job.outputs.map((output, i) => {
    const result = results.get(output) as ConvertFileResult;
    const warnings = [result.warning, i === 0 ? warning : undefined].filter(Boolean);
    return { ...result, warning: warnings.length > 0 ? warnings.join('; ') : undefined };
  });
}

async function findUpToDateOutputs(
  { source, outputs, options }: ComputedFileJob,
  files: Files,
  { bytes, etag }: StoredFileInfo,
  signal: AbortSignal,
): Promise<Map<ComputedTarget, ConvertFileResult>> {
  const upToDate = new Map<ComputedTarget, ConvertFileResult>();
  let md5: Promise<string> | undefined;
  const md5Once = (): Promise<string> => {
    md5 ??= hashSource(files, source, signal);
    return md5;
  };
  for (const output of outputs) {
    const { target, type, provenance } = output;
    const candidate = { target, dataType: type.name, options, provenance };
    const identity = { name: basename(source), bytes, etag };
    const result = await findUpToDateOutput(files, candidate, identity, md5Once, signal);
    if (result) upToDate.set(output, result);
  }
  return upToDate;
}

async function convertOutputs(
  { source: path, dataType, day, options }: ComputedFileJob,
  targets: readonly ComputedTarget[],
  files: Files,
  read: (onText: TextSink) => Promise<SourceContent>,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  const outputs: { readonly type: ComputedType; readonly file: PartFile }[] = [];
  try {
    for (const { type, target } of targets) {
      outputs.push({ type, file: await files.openPart(target, undefined, signal) });
    }
  } catch (error) {
    for (const { file } of outputs) await file.discard();
    throw error;
  }
  const converted = await convertSourceToComputed({ path, dataType, day, options, outputs }, read);
  return converted.map(({ rows, bytes, provenance, warning }) => ({
    status: 'converted',
    rows,
    bytes,
    provenance,
    warning,
  }));
}
