import { DayFileReader } from '../format/csv/day-file-reader.js';
import {
  AUDIT_READ_OPTIONS,
  auditMemories,
  RowAudit,
  type RowAuditInput,
  type RowAuditResult,
} from './row-audit.js';

/** All checks of one day file, in one pass over its gunzipped text. */
export class TextAudit {
  readonly #reader: DayFileReader;
  readonly #audit: RowAudit;

  constructor(input: RowAuditInput) {
    const { batchRows, ...options } = AUDIT_READ_OPTIONS;
    this.#reader = new DayFileReader({
      ...options,
      path: input.path,
      dataType: input.file?.dataType,
      batchRows: () => batchRows,
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

  #check(batches: ReturnType<DayFileReader['push']>): void {
    for (const batch of batches) this.#audit.push(batch, this.#reader.schema, this.#reader.dataType);
  }
}
