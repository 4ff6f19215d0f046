import type { Destination } from '../store/destination.js';
import { StateLog } from '../store/manifest/state-log.js';
import { EXPORT_LOG_NAME, isInside } from '../store/paths.js';
import {
  type ExportedFile,
  type ExportRecord,
  formatExportRecord,
  parseExportRecord,
} from './export-record.js';

/** An output version that no target has, so that the job is not up to date. */
const OUTDATED = 0;

/** The exports of an output folder, `.tickhaul/exports.jsonl` (docs/spec/manifest.md#export-log): one record per job. */
export class ExportLog {
  readonly #log: StateLog;
  readonly #makers = new Map<string, ExportRecord>();

  private constructor(log: StateLog) {
    this.#log = log;
    for (const line of log.stored()) this.#claim(parseExportRecord(line));
  }

  /** A log that cannot be read counts as empty. @throws errors of the store. */
  static async open(destination: Destination, signal: AbortSignal): Promise<ExportLog> {
    return new ExportLog(await StateLog.open(destination, EXPORT_LOG_NAME, keyOfLine, signal));
  }

  /** The last export of a job. */
  find(target: string, key: string): ExportRecord | undefined {
    return parseExportRecord(this.#log.get(keyOf({ target, key })) ?? '');
  }

  /** The record that made each output. */
  get makers(): ReadonlyMap<string, ExportRecord> {
    return this.#makers;
  }

  /** Whether no other job has written an output of this record since. */
  isCurrent(record: ExportRecord): boolean {
    return record.outputs.every(({ path }) => this.isMadeBy(path, record));
  }

  /** Whether an output was last written by the job of this record. */
  isMadeBy(path: string, { target, key }: Pick<ExportRecord, 'target' | 'key'>): boolean {
    const maker = this.#makers.get(path);
    return maker?.target === target && maker.key === key;
  }

  /** All recorded outputs, each with the record that made it. */
  outputs(): readonly { readonly output: ExportedFile; readonly record: ExportRecord }[] {
    return [...new Set(this.#makers.values())].flatMap((record) =>
      record.outputs
        .filter(({ path }) => this.#makers.get(path) === record)
        .map((output) => ({ output, record })),
    );
  }

  /** Adds a record, and writes the log if that is due. @throws as `write` does. */
  add(record: ExportRecord, signal: AbortSignal): Promise<void> {
    for (const { path } of this.find(record.target, record.key)?.outputs ?? []) this.#makers.delete(path);
    this.#claim(record);
    return this.#log.add(keyOf(record), formatExportRecord(record), signal);
  }

  /** Adds the newer records of another log. @returns their number. @throws as `write` does. */
  async addAll(other: ExportLog, signal: AbortSignal): Promise<number> {
    let added = 0;
    for (const line of other.#log.stored()) {
      const record = parseExportRecord(line) as ExportRecord;
      const known = this.find(record.target, record.key);
      if (known && known.time >= record.time) continue;
      await this.add(record, signal);
      added++;
    }
    return added;
  }

  /** Removes a missing output from its record. The next export of its job writes it again. */
  async forget(path: string, signal: AbortSignal): Promise<void> {
    const record = this.#makers.get(path);
    if (!record) return;
    const outputs = record.outputs.filter((output) => output.path !== path);
    await this.add({ ...record, outputVersion: OUTDATED, outputs }, signal);
  }

  /** Makes the next export of its job write an output again. */
  async redo(path: string, signal: AbortSignal): Promise<void> {
    const record = this.#makers.get(path);
    if (record) await this.add({ ...record, outputVersion: OUTDATED }, signal);
  }

  /** Writes what was added; call it at the end of a run. @throws TickhaulError `disk`; errors of the store. */
  write(signal: AbortSignal): Promise<void> {
    return this.#log.write(signal);
  }

  /** Paths that lead out of the folder are ignored. */
  #claim(record: ExportRecord | undefined): void {
    if (!record) return;
    for (const { path } of record.outputs) {
      const other = this.#makers.get(path);
      if (isInside(path) && (!other || other.time <= record.time)) this.#makers.set(path, record);
    }
  }
}

function keyOfLine(line: string): string | undefined {
  const record = parseExportRecord(line);
  return record && keyOf(record);
}

function keyOf({ target, key }: Pick<ExportRecord, 'target' | 'key'>): string {
  return `${target}\n${key}`;
}
