import { type FilesWithSettings, readRows } from '../convert/rows/read-rows.js';
import { LEADING_COLUMNS } from '../day-files/data-types.js';
import { toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { type Day, formatDay, msToDay, US_PER_DAY } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { FileContentFacts, LatencySummary } from '../events/audited-day.js';
import { type Batch, getColumn, getTextBytes, type Schema } from '../format/batch.js';
import type { ColumnMemory } from '../format/columns/column-memory.js';
import { RowReader } from '../format/csv/row-reader.js';
import { statSource } from '../store/open-files.js';
import { type AuditBatch, BatchSequence } from './audit-batch.js';
import { type AuditedContent, contentVersion, type RowAuditResult } from './audit-log.js';
import type { CheckCounter, CheckThresholds, ContentCheck } from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';

/** Audit of one day file as plain data, which can be posted to a thread. */
export interface AuditJob {
  readonly location: string;
  /** Undefined to use the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
  /** Threads that work in this run, that of the job included. */
  readonly busyThreads: number;
}

export interface AuditJobResult {
  readonly result: RowAuditResult;
  readonly content: AuditedContent;
}

/**
 * Reads a file once and runs all its checks.
 * @param onBytes called with the number of compressed bytes just read, and the size of the file.
 * @throws TickhaulError `corrupt` if it cannot be read to its end or has a bad cell, `unreadable`; errors of the store;
 * the abort reason.
 */
export async function auditFile(
  { location, file, thresholds, busyThreads }: AuditJob,
  { files, store }: FilesWithSettings,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<AuditJobResult> {
  const found = await statSource(files, location, signal);
  const audit = new RowAudit({ path: location, file, thresholds });
  const { schema, dataType, bytes, checksum } = await readRows(
    { ...AUDIT_READ_OPTIONS, path: location, dataType: file?.dataType, hash: 'sha256' },
    found.bytes,
    { files, store, busyThreads, memories: auditMemories },
    {
      onBatch: (...rows) => audit.push(...rows),
      onBytes: (count) => onBytes(count, found.bytes),
    },
    signal,
  );
  const result = audit.end(schema, dataType);
  const version = contentVersion(found);
  const after = await files.stat(location, signal);
  const isUnchanged = after?.bytes === bytes && contentVersion(after) === version;
  return { result, content: { bytes, sha256: checksum, version: isUnchanged ? version : undefined } };
}

export interface RowAuditInput {
  /** For messages. */
  readonly path: string;
  /** Undefined if it must be read from the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
}

/** Options with which an audit reads rows. */
const AUDIT_READ_OPTIONS = {
  batchRows: 8192,
  numberText: 'all',
  allowsEmpty: true,
} as const;

/** Memories that the audits of this thread use in turns. */
export const auditMemories = new Map<string, ColumnMemory>();

/** All checks of one day file, in one pass over its rows. */
class RowAudit {
  readonly #input: RowAuditInput;
  #running: RunningChecks | undefined;

  constructor(input: RowAuditInput) {
    this.#input = input;
  }

  /** Checks rows, in their order. @throws TickhaulError `corrupt`. */
  push(batch: Batch, dataType: string): void {
    this.#running ??= this.#start(batch, batch.schema, dataType);
    this.#running.push(batch);
  }

  /** Call it after the last rows, with the schema and the data type that the reader has found. */
  end(schema: Schema, dataType: string): RowAuditResult {
    this.#running ??= this.#start(undefined, schema, dataType);
    return this.#running.end();
  }

  #start(first: Batch | undefined, schema: Schema, dataType: string): RunningChecks {
    const { file, thresholds } = this.#input;
    const identity = file ?? (first ? identifyFile(first) : { exchange: '', symbol: '', day: undefined });
    return new RunningChecks(
      schema.length > 0 ? schema : LEADING_COLUMNS,
      { ...identity, dataType: dataType || (file?.dataType ?? 'unknown') },
      thresholds,
    );
  }
}

/** What the checks know of a file. */
type KnownFile = Omit<DayFile, 'day'> & { readonly day: Day | undefined };

/** The day file that the first row belongs to; its day is that of the first local timestamp. */
function identifyFile(batch: Batch): Omit<KnownFile, 'dataType'> {
  const readText = (name: string): string => Buffer.from(getTextBytes(batch, name, 0)).toString();
  const times = getColumn(batch, 'local_timestamp');
  const row = times.nulls?.indexOf(0) ?? 0;
  const microseconds = times.kind === 'time' ? times.values[row] : undefined;
  return {
    exchange: readText('exchange'),
    symbol: toDatasetSymbol(readText('symbol')),
    day: microseconds === undefined ? undefined : msToDay(Math.floor(microseconds / 1000)),
  };
}

class RunningChecks {
  readonly #file: KnownFile;
  readonly #batches: BatchSequence;
  readonly #counters: readonly (readonly [ContentCheck, CheckCounter])[];
  readonly #facts = new ContentFactsCounter();

  constructor(schema: Schema, file: KnownFile, thresholds: CheckThresholds) {
    const audited = { thresholds, dataType: file.dataType, dayStart: (file.day ?? 0) * US_PER_DAY };
    this.#file = file;
    this.#batches = new BatchSequence(schema, audited);
    this.#counters = CONTENT_CHECKS.filter(({ appliesTo }) => appliesTo(file.dataType)).map(
      (check) => [check, check.start(audited)] as const,
    );
  }

  push(batch: Batch): void {
    const opened = this.#batches.open(batch);
    for (const [, counter] of this.#counters) counter.push(opened);
    this.#facts.push(opened);
  }

  end(): RowAuditResult {
    const { exchange, dataType, symbol, day } = this.#file;
    const last = this.#batches.end();
    for (const [, counter] of this.#counters) counter.push(last);
    const { rows, symbolCount } = this.#batches;
    return {
      exchange,
      dataType,
      symbol,
      date: day === undefined ? '' : formatDay(day),
      ...this.#facts.end(rows, symbolCount),
      checks: Object.fromEntries(this.#counters.map(([{ name }, counter]) => [name, counter.end(rows)])),
    };
  }
}

/** All checks of one day file, in one pass over its gunzipped text. */
export class TextAudit {
  readonly #reader: RowReader;
  readonly #audit: RowAudit;

  constructor(input: RowAuditInput) {
    const { batchRows, ...options } = AUDIT_READ_OPTIONS;
    this.#reader = new RowReader({
      ...options,
      path: input.path,
      dataType: input.file?.dataType,
      batchRows,
      memories: auditMemories,
    });
    this.#audit = new RowAudit(input);
  }

  /** Checks text, in chunks of any size; the chunk may be reused afterwards. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void {
    this.#check(this.#reader.push(text));
  }

  /** Call it after the last text. @throws as `push` does. */
  end(): RowAuditResult {
    this.#check(this.#reader.end());
    return this.#audit.end(this.#reader.schema, this.#reader.dataType);
  }

  #check(batches: ReturnType<RowReader['push']>): void {
    for (const batch of batches) this.#audit.push(batch, this.#reader.dataType);
  }
}

/** Collects the facts about a file's content that are no checks. */
class ContentFactsCounter {
  readonly #latencies = new LatencyHistogram();
  #first: number | null = null;
  #last: number | null = null;

  push({ rows, timestamps, localTimestamps }: AuditBatch): void {
    const latencies = this.#latencies;
    for (let row = 0; row < rows; row++) {
      const local = localTimestamps[row] as number;
      if (Number.isNaN(local)) continue;
      this.#first ??= local;
      this.#last = local;
      const timestamp = timestamps[row] as number;
      if (!Number.isNaN(timestamp)) latencies.add(local - timestamp);
    }
  }

  end(rows: number, symbols: number): FileContentFacts {
    return {
      rows,
      symbols,
      firstLocalTimestamp: this.#first,
      lastLocalTimestamp: this.#last,
      latencyMicroseconds: this.#latencies.summarize(),
    };
  }
}

/** Leading bits of a value that select its bucket, after the first one: buckets are 1/256 wide. */
const MANTISSA_BITS = 8;
const BUCKETS_PER_OCTAVE = 2 ** MANTISSA_BITS;
/** Values have up to 54 bits: differences of times up to 2^53. */
const BUCKETS_PER_SIGN = 55 * BUCKETS_PER_OCTAVE;

/** A histogram of whole microseconds, also negative ones, with buckets of at most 0.4 percent of the value. */
class LatencyHistogram {
  /** Negative values in descending order, then 0, then positive values. */
  readonly #counts = new Float64Array(2 * BUCKETS_PER_SIGN + 1);
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(microseconds: number): void {
    const at = BUCKETS_PER_SIGN + toBucket(microseconds);
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#count++;
    if (microseconds < this.#min) this.#min = microseconds;
    if (microseconds > this.#max) this.#max = microseconds;
  }

  /** Null if there are no values. */
  summarize(): LatencySummary | null {
    if (this.#count === 0) return null;
    return { p50: this.#percentile(50), p99: this.#percentile(99), max: this.#max };
  }

  /** The least value that this many percent of the values do not exceed. */
  #percentile(percent: number): number {
    const rank = Math.ceil((percent * this.#count) / 100);
    let seen = 0;
    let at = -1;
    while (seen < rank) seen += this.#counts[++at] as number;
    return Math.min(this.#max, Math.max(this.#min, bucketMiddle(at - BUCKETS_PER_SIGN)));
  }
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Biased exponent of 1. */
const EXPONENT_OF_ONE = 1023 << MANTISSA_BITS;

/** 0 for 0, and 1 for 1; negative values have negative buckets. */
function toBucket(value: number): number {
  if (value === 0) return 0;
  double[0] = Math.abs(value);
  const bucket = ((words[1] as number) >>> (20 - MANTISSA_BITS)) - EXPONENT_OF_ONE + 1;
  return value < 0 ? -bucket : bucket;
}

function bucketMiddle(bucket: number): number {
  if (bucket === 0) return 0;
  const index = Math.abs(bucket) - 1;
  const width = 2 ** Math.floor(index / BUCKETS_PER_OCTAVE) / BUCKETS_PER_OCTAVE;
  const start = width * (BUCKETS_PER_OCTAVE + (index % BUCKETS_PER_OCTAVE));
  const middle = Math.ceil(start) + Math.floor(Math.max(0, width - 1) / 2);
  return bucket < 0 ? -middle : middle;
}
