import { DayFileReader } from '../format/csv/day-file-reader.js';
import {
  AUDIT_ROWS,
  auditMemories,
  FileAudit,
  type FileAuditInput,
  type FileAuditResult,
} from './file-audit.js';

/** All checks of one day file, in one pass over its gunzipped text. */
export class TextAudit {
  readonly #reader: DayFileReader;
  readonly #audit: FileAudit;

  constructor(input: FileAuditInput) {
    const { batchRows, ...options } = AUDIT_ROWS;
    this.#reader = new DayFileReader({
      ...options,
      path: input.path,
      dataType: input.file?.dataType,
      batchRows: () => batchRows,
      memories: auditMemories,
    });
    this.#audit = new FileAudit(input);
  }

  /** Checks text, in chunks of any size; the chunk may be reused afterwards. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void {
    this.#check(this.#reader.push(text));
  }

  /** Call it after the last text. @throws as `push` does. */
  end(): FileAuditResult {
    this.#check(this.#reader.end());
    return this.#audit.end(this.#reader.schema, this.#reader.dataType);
  }

  #check(batches: ReturnType<DayFileReader['push']>): void {
    for (const batch of batches) this.#audit.push(batch, this.#reader.schema, this.#reader.dataType);
  }
}
