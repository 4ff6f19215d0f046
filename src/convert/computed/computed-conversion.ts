import { TickhaulError } from '../../base/errors.js';
import { type Day, msToDay, US_PER_DAY } from '../../day-files/day.js';
import { type Batch, getNumbers } from '../../format/batch.js';
import type { DayFileHeader } from '../../format/csv/csv-header.js';
import { RowReader } from '../../format/csv/row-reader.js';
import type { OutputOptions } from '../../format/output-format.js';
import type { TextSink } from '../../gzip/gunzip.js';
import {
  type ComputedStream,
  createBarStream,
  createSnapshotStream,
  type InstrumentClose,
} from '../../market/day-file/computed-stream.js';
import {
  type BookSnapshotType,
  barRulesOf,
  type ComputedType,
  type TradeBarType,
} from '../../market/message-type-name.js';
import type { Period, TradeBar } from '../../market/trade-bars.js';
import type { Files, StoredFileInfo } from '../../store/files.js';
import {
  type Conversion,
  type ConversionResult,
  type ConversionSink,
  startConversion,
} from '../conversion.js';
import { type OnText, readUnchangedSource } from '../convert-file.js';
import type { SourceContent } from '../provenance.js';
import { columnMemories, createLocalKernels } from '../threads/local-kernel.js';
import { ComputedRows, computedColumns } from './computed-rows.js';

export interface ComputedConversionInput {
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Undefined to use the day of the first local timestamp. */
  readonly day: Day | undefined;
  readonly options: OutputOptions;
  /** Last closes of the day before, with which filled bars begin at the start of the day. */
  readonly previous?: readonly InstrumentClose[] | undefined;
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
  /** The last closes of filled bars, for the next day. Call it after `finish`. */
  lastCloses(): readonly InstrumentClose[];
  /** Discards the outputs; does nothing after `finish`. */
  abort(): Promise<void>;
}

/**
 * Starts to compute types of a day file, in one pass and in this thread. The rows of each type become text, which is
 * converted like that of a day file.
 * @throws from `write` and `finish`: as `startComputation` and `startConversion` do. After an error, only `abort` may be
 * called.
 */
export function startComputedConversion(input: ComputedConversionInput): ComputedConversion {
  const { path, options, outputs } = input;
  const conversions = outputs.map(({ type, file: output }): Conversion => {
    const header = computedHeader(type);
    const all = { ...options, ...barRulesOf(type) };
    return startConversion({ path, header, options: all, output, kernels: createLocalKernels(true) });
  });
  const types = outputs.map(({ type }) => type);
  const computation = startComputation(input, types, async (text, i) => conversions[i]?.write(text));
  return {
    write: (text) => computation.write(text),
    async finish(source) {
      const { dataType, warning } = await computation.end();
      const converted: ConversionResult[] = [];
      for (const [i, conversion] of conversions.entries()) {
        const result = await conversion.end(source);
        converted.push({ ...result, dataType, warning: i === 0 ? warning : undefined });
      }
      for (const conversion of conversions) await conversion.publish();
      return converted;
    },
    lastCloses: computation.lastCloses,
    async abort() {
      for (const conversion of conversions) await conversion.abort();
    },
  };
}

/** The header of the rows of a computed type, whose text has none. */
export function computedHeader(type: ComputedType): DayFileHeader {
  return { dataType: type.name, schema: computedColumns(type), warning: undefined };
}

/** A day file of which types are computed. */
export type ComputedSource = Pick<ComputedConversionInput, 'path' | 'dataType' | 'day' | 'previous'>;

/** Computes types of one day file from its gunzipped text. Calls must not overlap. */
interface Computation {
  /** Resolves when the next chunk can be written; the chunk may be reused then. */
  write(text: Uint8Array): Promise<void>;
  /** Passes on the last rows. Returns the data type, and a warning about ignored columns. */
  end(): Promise<{ readonly dataType: string; readonly warning: string | undefined }>;
  /** The last closes of filled bars. Call it after `end`. */
  lastCloses(): readonly InstrumentClose[];
}

/**
 * Starts to compute types of a day file.
 * @param types at least one; all are computed from the same data type.
 * @param onRows receives rows of a type, given by its position, as CSV text without a header. The text may be reused
 * when the returned promise resolves.
 * @throws from `write` and `end`: as `RowReader` does; TickhaulError `usage` for a file of another data type.
 */
function startComputation(
  source: ComputedSource,
  types: readonly ComputedType[],
  onRows: (text: Buffer, index: number) => Promise<void>,
): Computation {
  const rows = types.map((type) => new ComputedRows(type));
  const reader = new RowReader({
    path: source.path,
    dataType: source.dataType,
    batchRows: SOURCE_BATCH_ROWS,
    numberText: 'none',
    memories: columnMemories,
  });
  let computed: ComputedStream | undefined;
  const passOnRows = async (): Promise<void> => {
    for (const [i, each] of rows.entries()) for (const text of each.takeTexts()) await onRows(text, i);
  };
  const processBatches = async (batches: Iterable<Batch>): Promise<void> => {
    for (const batch of batches) {
      computed ??= createComputedStream(source, reader.dataType, types, rows, batch);
      computed.push(batch);
    }
    // Only after the last batch: meanwhile, other conversions of this thread parse in the same memory.
    await passOnRows();
  };
  return {
    write: ({ buffer, byteOffset, length }) =>
      processBatches(reader.push(Buffer.from(buffer, byteOffset, length))),
    async end() {
      await processBatches(reader.end());
      const { dataType, warning } = reader;
      assertDataType(source, dataType, types);
      // A day without trades is filled, too.
      if (source.previous && source.previous.length > 0)
        computed ??= createComputedStream(source, dataType, types, rows, undefined);
      computed?.end();
      await passOnRows();
      return { dataType, warning: warning && `${warning}; ignoring them` };
    },
    lastCloses: () => computed?.lastCloses() ?? [],
  };
}

/** Work of a thread on one source of an output of several: to compute rows of a type, whose text the caller converts. */
export interface ComputeJob extends ComputedSource {
  readonly compute: ComputedType;
  /** Result of `statSource`. */
  readonly found: StoredFileInfo;
  /** As in `GzipReadOptions`. */
  readonly inflateThreads: number | undefined;
}

/** What was read, a warning about ignored columns, and the last closes of filled bars. */
export interface ComputedContent extends SourceContent {
  readonly warning: string | undefined;
  readonly closes: readonly InstrumentClose[];
}

/**
 * Computes rows of a source, here or in a thread.
 * @throws as `startComputation` and `readUnchangedSource` do.
 */
export type ComputeRows = (
  job: ComputeJob,
  receiver: {
    /** Receives the rows as CSV text without a header. */
    readonly onRows: OnText;
    readonly onBytes: (count: number) => void;
    readonly signal: AbortSignal;
  },
) => Promise<ComputedContent>;

/** Rows are passed on in pieces of at least this size. */
const MIN_ROWS_BYTES = 64 * 1024;

/** Computes rows of one type in this thread. */
export async function computeRows(
  { compute, found, inflateThreads, ...source }: ComputeJob,
  files: Files,
  { onRows, onBytes, signal }: Parameters<ComputeRows>[1],
): Promise<ComputedContent> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const passOn = async (minBytes: number): Promise<void> => {
    if (heldBytes < minBytes) return;
    const text = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    await onRows(text);
  };
  const computation = startComputation(source, [compute], async (text) => {
    held.push(Buffer.from(text));
    heldBytes += text.length;
    await passOn(MIN_ROWS_BYTES);
  });
  const onText = (text: Uint8Array): Promise<void> => computation.write(text);
  const content = await readUnchangedSource(files, source.path, found, {
    onText,
    onBytes,
    inflateThreads,
    signal,
  });
  const { warning } = await computation.end();
  await passOn(1);
  return { ...content, warning, closes: computation.lastCloses() };
}

/**
 * Converts a file to computed types.
 * @param read passes the text of the file to `onText`.
 * @returns the results of the outputs, in their order, and the last closes of filled bars.
 * @throws errors of `read` and `startComputedConversion`; no output is left then.
 */
export async function convertSourceToComputed(
  input: ComputedConversionInput,
  read: (onText: TextSink) => Promise<SourceContent>,
): Promise<Pick<ComputedContent, 'closes'> & { readonly converted: readonly ConversionResult[] }> {
  const conversion = startComputedConversion(input);
  try {
    const converted = await conversion.finish(await read((text) => conversion.write(text)));
    return { converted, closes: conversion.lastCloses() };
  } finally {
    await conversion.abort();
  }
}

function createComputedStream(
  source: ComputedSource,
  dataType: string,
  types: readonly ComputedType[],
  rows: readonly ComputedRows[],
  first: Batch | undefined,
): ComputedStream {
  assertDataType(source, dataType, types);
  const byType = new Map(types.map((type, i) => [type, rows[i]]));
  if (dataType === 'trades') {
    const bars = types.filter((type): type is TradeBarType => type.kind === 'trade_bar');
    const day = dayToPeriod(source.day ?? readFirstDay(first));
    const addBar = (bar: TradeBar): void => byType.get(bar.type)?.addBar(bar);
    return createBarStream(bars, day, addBar, source.previous);
  }
  const snapshots = types.filter((type): type is BookSnapshotType => type.kind === 'book_snapshot');
  return createSnapshotStream(snapshots, (snapshot) => byType.get(snapshot.type)?.addSnapshot(snapshot));
}

/** The data type in the file can differ from the planned one. */
function assertDataType({ path }: ComputedSource, dataType: string, types: readonly ComputedType[]): void {
  const other = types.find(({ dayFileType }) => dayFileType !== dataType);
  if (!other) return;
  const { name, dayFileType } = other;
  throw new TickhaulError(
    'usage',
    `${path} contains ${dataType}, but ${name} is computed from ${dayFileType}; choose another type`,
  );
}

function dayToPeriod(day: Day): Period {
  return { start: day * US_PER_DAY, end: (day + 1) * US_PER_DAY };
}

/** Day files are split by local time. */
function readFirstDay(batch: Batch | undefined): Day {
  const first = batch && getNumbers(batch, 'local_timestamp')[0];
  return msToDay(Math.floor((first ?? 0) / 1000));
}
