import { LEADING_COLUMNS } from '../day-files/data-types.js';
import { toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { type Day, formatDay, msToDay, US_PER_DAY } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { Batch, Schema } from '../format/batch.js';
import type { ColumnMemory } from '../format/columns/column-memory.js';
import { RowReader } from '../format/csv/row-reader.js';
import { getColumn, getTextBytes } from '../market/batch-columns.js';
import { BatchSequence } from './audit-batch.js';
import type { RowAuditResult } from './audit-record.js';
import type { CheckCounter, CheckThresholds, ContentCheck } from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';
import { ContentFactsCounter } from './content-facts.js';

export interface RowAuditInput {
  /** For messages. */
  readonly path: string;
  /** Undefined if it must be read from the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
}

/** Options with which an audit reads rows. */
export const AUDIT_READ_OPTIONS = {
  batchRows: 8192,
  numberText: 'all',
  allowsEmptyCells: true,
  allowsEmptyFile: true,
} as const;

/** Memories that the audits of this thread use in turns. */
export const auditMemories = new Map<string, ColumnMemory>();

/** All checks of one day file, in one pass over its rows. */
export class RowAudit {
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
