import { parseShallowJson } from '../base/json-depth.js';
import { formatDay } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { FileContentFacts } from '../events/audited-day.js';
import type { Destination } from '../store/destination.js';
import type { StoredFileInfo } from '../store/files.js';
import { StateLog } from '../store/manifest/state-log.js';
import {
  type CheckThresholds,
  DEFAULT_THRESHOLDS,
  formatThresholds,
  type RecordedResult,
} from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';

/** Version of the checks. Raise it if a check counts differently for any file: all files are then read again. */
export const CHECKS_VERSION = 1;

/** Identity of the content that was audited. */
export interface AuditedContent {
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed file, in hexadecimal. */
  readonly sha256: string;
  /**
   * Changes whenever the file is written again: the time of change of a local file, the ETag of an object. Undefined
   * if the file changed while it was read, so that it is read again, or if only its conversions were written.
   */
  readonly version: string | undefined;
}

/** The results of all checks of a complete day file: one line of `.tickhaul/audit.jsonl`. */
export interface AuditRecord extends AuditedContent, CheckThresholds, FileContentFacts {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly checksVersion: number;
  readonly exchange: string;
  readonly dataType: string;
  /** The dataset symbol. */
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`; empty if neither the name nor a row tells it. */
  readonly date: string;
  /** Results by the name of the check; checks that do not apply to the data type are absent. */
  readonly checks: Readonly<Record<string, RecordedResult>>;
  /**
   * The reasons of the last verdict; none if the day is available. Each run judges again, since they also depend on the
   * exchange record and on `--degrade`; other commands use them as they are.
   */
  readonly reasons: readonly string[];
  /** The file could not be read to its end, so it has no results, and each audit reads it again. */
  readonly isCorrupt?: true | undefined;
}

/** Results of the checks of one day file, without the identity of its bytes. */
export type RowAuditResult = Omit<
  AuditRecord,
  'path' | 'reasons' | 'isCorrupt' | 'checksVersion' | 'bytes' | 'sha256' | 'version' | keyof CheckThresholds
>;

/** A text that changes whenever a file is written again: the ETag of an object, the time of change of a local file. */
export function contentVersion({ etag, modifiedMs }: StoredFileInfo): string | undefined {
  return etag ?? (modifiedMs === undefined ? undefined : String(modifiedMs));
}

/**
 * Formats a record as one line of JSON. Results of checks that found nothing are left out, since most find nothing and
 * a folder may have a million files.
 */
function formatRecordLine(record: AuditRecord): string {
  const empty = emptyResults(record.dataType);
  const checks = Object.entries(record.checks).filter(
    ([name, result]) => JSON.stringify(result) !== JSON.stringify(empty[name]),
  );
  return JSON.stringify({ ...record, checks: Object.fromEntries(checks) });
}

/** The record of a line that is valid (`parseShortRecord`). */
function parseRecordLine(line: string): AuditRecord {
  const record = JSON.parse(line) as AuditRecord;
  const empty = emptyResults(record.dataType);
  return {
    ...record,
    checks: Object.fromEntries(
      Object.entries(empty).map(([name, result]) => [name, record.checks[name] ?? result]),
    ),
  };
}

/**
 * The record without the results that found nothing; undefined for a line that is damaged, or from another version of
 * the checks.
 */
function parseShortRecord(line: string): AuditRecord | undefined {
  if (line === '') return undefined;
  try {
    const record = parseShallowJson(line) as AuditRecord;
    const isValid =
      record.checksVersion === CHECKS_VERSION &&
      [record.path, record.dataType, record.date].every((text) => typeof text === 'string') &&
      typeof record.checks === 'object' &&
      Array.isArray(record.reasons);
    return isValid ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Results for an empty file, by data type. */
const emptyResultsByType = new Map<string, Readonly<Record<string, RecordedResult>>>();

function emptyResults(dataType: string): Readonly<Record<string, RecordedResult>> {
  const known = emptyResultsByType.get(dataType);
  if (known) return known;
  const file = { thresholds: DEFAULT_THRESHOLDS, dataType, dayStart: 0 };
  const results = Object.fromEntries(
    CONTENT_CHECKS.filter(({ appliesTo }) => appliesTo(dataType)).map((check) => [
      check.name,
      check.start(file).end(0),
    ]),
  );
  emptyResultsByType.set(dataType, results);
  return results;
}

/** The record of a file before it is judged. @param path relative to the download folder, with `/`. */
export function createAuditRecord(
  path: string,
  result: RowAuditResult,
  content: AuditedContent,
  thresholds: CheckThresholds,
): AuditRecord {
  return { path, ...content, checksVersion: CHECKS_VERSION, ...thresholds, ...result, reasons: [] };
}

/** The record of a corrupt file. @param file undefined if nothing identifies it. @param info facts of its bytes. */
export function createCorruptRecord(
  path: string,
  file: DayFile | undefined,
  info: StoredFileInfo,
  thresholds: CheckThresholds,
): AuditRecord {
  const { exchange = '', dataType = '', symbol = '' } = file ?? {};
  const names = { exchange, dataType, symbol, date: file ? formatDay(file.day) : '' };
  const none = { firstLocalTimestamp: null, lastLocalTimestamp: null, latencyMicroseconds: null };
  const result = { ...names, rows: 0, symbols: 0, ...none, checks: {} };
  const content = { bytes: info.bytes, sha256: '', version: contentVersion(info) };
  return { ...createAuditRecord(path, result, content, thresholds), isCorrupt: true };
}

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
