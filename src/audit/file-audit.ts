import { LEADING_COLUMNS } from '../dataset/data-types.js';
import { toDatasetSymbol } from '../dataset/dataset-symbol.js';
import { type Day, formatDay, msToDay, US_PER_DAY } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import type { Batch } from '../format/batch.js';
import { DayFileReader } from '../format/csv/day-file-reader.js';
import type { ColumnMemory } from '../format/kernel/column-memory.js';
import { getColumn, getTextBytes } from '../market/batch-columns.js';
import type { AuditRecord, CheckThresholds } from './audit-record.js';
import { BatchSequence } from './batch-sequence.js';
import type { CheckCounter, ContentCheck } from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';
import { ContentFactsCounter } from './content-facts.js';

export interface FileAuditInput {
  /** For messages. */
  readonly path: string;
  /** Undefined to use the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
}

/** Results of the checks of one day file, without the identity of its bytes. */
export type FileAuditResult = Omit<
  AuditRecord,
  'path' | 'reasons' | 'checksVersion' | 'bytes' | 'sha256' | 'version' | keyof CheckThresholds
>;

const BATCH_ROWS = 8192;

/** Memories of this thread, which the audits of several files use in turns. */
const memories = new Map<string, ColumnMemory>();

/** Drops the cached memory of this thread. */
export function clearAuditMemories(): void {
  memories.clear();
}

/** All checks of one day file, in one pass over its gunzipped text. */
export class FileAudit {
  readonly #input: FileAuditInput;
  readonly #reader: DayFileReader;
  #running: RunningChecks | undefined;
  #isEmpty = true;

  constructor(input: FileAuditInput) {
    this.#input = input;
    this.#reader = new DayFileReader({
      path: input.path,
      dataType: input.file?.dataType,
      batchRows: () => BATCH_ROWS,
      numberText: true,
      allowsEmptyCells: true,
      memories,
    });
  }

  /** Checks text, in chunks of any size; the chunk may be reused afterwards. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void {
    this.#isEmpty &&= text.length === 0;
    this.#check(this.#reader.push(text));
  }

  /** Call it after the last text. @throws as `push` does. */
  end(): FileAuditResult {
    // The reader refuses an empty file of an unknown data type, which a conversion could not write.
    if (!this.#isEmpty || this.#input.file) this.#check(this.#reader.end());
    this.#running ??= this.#start(undefined);
    return this.#running.end();
  }

  #check(batches: Iterable<Batch>): void {
    for (const batch of batches) {
      this.#running ??= this.#start(batch);
      this.#running.push(batch);
    }
  }

  #start(first: Batch | undefined): RunningChecks {
    const { file, thresholds } = this.#input;
    const { schema, dataType } = this.#reader;
    const identity =
      file ?? (first ? identifyFile(schema, first) : { exchange: '', symbol: '', day: undefined });
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
function identifyFile(schema: DayFileReader['schema'], batch: Batch): Omit<KnownFile, 'dataType'> {
  const readText = (name: string): string => Buffer.from(getTextBytes(schema, batch, name, 0)).toString();
  const times = getColumn(schema, batch, 'local_timestamp');
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

  constructor(schema: DayFileReader['schema'], file: KnownFile, thresholds: CheckThresholds) {
    const audited = { ...thresholds, dataType: file.dataType, dayStart: (file.day ?? 0) * US_PER_DAY };
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

  end(): FileAuditResult {
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
