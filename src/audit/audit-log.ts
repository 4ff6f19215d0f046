import type { Destination } from '../store/destination.js';
import { StateLog } from '../store/manifest/state-log.js';
import { type AuditRecord, formatRecordLine, parseRecordLine, parseShortRecord } from './audit-record.js';
import { type CheckThresholds, DEFAULT_THRESHOLDS, formatThresholds } from './content-check.js';

/**
 * The results of audits of a download folder, `.tickhaul/audit.jsonl` (docs/spec/manifest.md#audit-log): one record per
 * file and thresholds.
 */
export class AuditLog {
  readonly #log: StateLog;

  private constructor(log: StateLog) {
    this.#log = log;
  }

  /** A log that cannot be read counts as empty. @throws errors of the store. */
  static async open(destination: Destination, signal: AbortSignal): Promise<AuditLog> {
    return new AuditLog(await StateLog.open(destination, 'audit.jsonl', keyOfLine, signal));
  }

  /** The results of a file with the same thresholds; a corrupt one has none. @param path relative to the folder. */
  find(path: string, thresholds: CheckThresholds): AuditRecord | undefined {
    const line = this.#log.get(formatKey(path, thresholds));
    const record = line === undefined ? undefined : parseRecordLine(line);
    return record?.isCorrupt ? undefined : record;
  }

  /**
   * One record of each file, by path: with the default thresholds if there is one. So a command without thresholds uses
   * the verdict of a usual audit.
   */
  records(): ReadonlyMap<string, AuditRecord> {
    const records = new Map<string, AuditRecord>();
    const defaults = formatThresholds(DEFAULT_THRESHOLDS);
    for (const line of this.#log.stored()) {
      const record = parseRecordLine(line);
      if (!records.has(record.path) || formatThresholds(record) === defaults)
        records.set(record.path, record);
    }
    return records;
  }

  /** Adds a record, and writes the log if that is due. @throws as `write` does. */
  add(record: AuditRecord, signal: AbortSignal): Promise<void> {
    return this.#log.add(formatKey(record.path, record), formatRecordLine(record), signal);
  }

  /**
   * Adds the results of another folder that this log does not have. Results have no time: of equal contents, they are
   * equal. @returns their number. @throws as `write` does.
   */
  async addAll(other: AuditLog, signal: AbortSignal): Promise<number> {
    let added = 0;
    for (const line of other.#log.stored()) {
      const key = keyOfLine(line) ?? '';
      if (this.#log.get(key) !== undefined) continue;
      await this.#log.add(key, line, signal);
      added++;
    }
    return added;
  }

  /** Writes what was added; call it at the end of a run. @throws TickhaulError `disk`; errors of the store. */
  write(signal: AbortSignal): Promise<void> {
    return this.#log.write(signal);
  }
}

function keyOfLine(line: string): string | undefined {
  const record = parseShortRecord(line);
  return record && formatKey(record.path, record);
}

function formatKey(path: string, thresholds: CheckThresholds): string {
  return `${path}\n${formatThresholds(thresholds)}`;
}
