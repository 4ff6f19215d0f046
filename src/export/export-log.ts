import { parseShallowJson } from '../base/json-depth.js';
import { VERSION } from '../base/packages.js';
import { plural } from '../base/units.js';
import type { EventSink } from '../events/run-events.js';
import { hashFile } from '../gzip/checksums.js';
import type { Destination } from '../store/destination.js';
import type { Files } from '../store/files.js';
import { joinLocation } from '../store/location.js';
import { StateLog } from '../store/manifest/state-log.js';
import { EXPORT_LOG_NAME, isInside } from '../store/paths.js';

/** A day file, as it was read for an export. */
export interface ExportedSource {
  /** Its name, without folders. */
  readonly name: string;
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed bytes, in hex digits. */
  readonly md5: string;
  /** As `contentVersion`; if it still matches, the file need not be read. Undefined if the file changed meanwhile. */
  readonly version?: string | undefined;
}

/** An output of an export. */
export interface ExportedFile {
  /** Relative to the output folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
  readonly rows: number;
  /** Rows of the sources that it holds, or was made of; undefined in records of earlier versions. */
  readonly sourceRows?: number | undefined;
  /** As `OutputOwner.name`; undefined in records of earlier versions. */
  readonly owner?: string | undefined;
  /** Whether users are meant to edit it, so that other bytes than these are no damage. */
  readonly isEditable?: true | undefined;
}

/** One line of the export log (docs/spec/manifest.md#export-log): the outputs of a job, and what they were made of. */
export interface ExportRecord {
  /** Name of the target, and key of the job. */
  readonly target: string;
  readonly key: string;
  /** Version of the target's outputs. */
  readonly outputVersion: number;
  /** Settings of the job, as JSON. */
  readonly settings: unknown;
  readonly sources: readonly ExportedSource[];
  readonly outputs: readonly ExportedFile[];
  /** ISO 8601. If two records have the same output, the later one made it. */
  readonly time: string;
  /** tickhaul's version. */
  readonly version: string;
}

function formatExportRecord(record: ExportRecord): string {
  return JSON.stringify(record);
}

/** Undefined for a line that is damaged. */
function parseExportRecord(line: string): ExportRecord | undefined {
  try {
    const record = parseShallowJson(line) as Partial<ExportRecord> | null;
    const { target, key, time, outputs, sources } = record ?? {};
    const isWhole =
      typeof target === 'string' &&
      typeof key === 'string' &&
      typeof time === 'string' &&
      Array.isArray(sources) &&
      Array.isArray(outputs) &&
      outputs.every(
        ({ path, bytes, sha256 }) => typeof path === 'string' && bytes >= 0 && typeof sha256 === 'string',
      );
    return isWhole ? (record as ExportRecord) : undefined;
  } catch {
    return undefined;
  }
}

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

/** How former outputs are removed, and reported. */
interface RemovalContext {
  readonly files: Files;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Records an export that was written to `out`, and removes those outputs of the last one with its key that it has not.
 * @throws as `removeFormerOutput` and `ExportLog.write` do.
 */
export async function recordExport(
  log: ExportLog,
  exported: Omit<ExportRecord, 'time' | 'version'>,
  out: string,
  context: RemovalContext,
): Promise<void> {
  const { target, key, outputs } = exported;
  const paths = new Set(outputs.map(({ path }) => path));
  for (const output of log.find(target, key)?.outputs ?? [])
    if (!paths.has(output.path) && log.isMadeBy(output.path, exported))
      await removeFormerOutput(joinLocation(out, output.path), output, context);
  await log.add({ ...exported, time: new Date().toISOString(), version: VERSION }, context.signal);
}

/**
 * Removes an output of a former export. A file with other bytes than recorded may be another program's, such as candles
 * that freqtrade downloaded to the same path, so it stays, with a warning.
 * @throws TickhaulError `disk`; errors of the store.
 */
export async function removeFormerOutput(
  location: string,
  recorded: ExportedFile,
  context: RemovalContext,
): Promise<void> {
  const { files, emit, signal } = context;
  const found = await files.stat(location, signal);
  if (!found) return;
  const change = await findChange(location, found.bytes, recorded, context);
  if (change !== undefined) {
    const message = `${location}: keeping this output of a former export: it ${change}; delete it if you do not need it`;
    return emit({ event: 'warning', message });
  }
  await files.remove(location, signal);
  emit({ event: 'note', message: `${location}: removed this output of a former export` });
}

/** How a file differs from its record; undefined if it does not. */
async function findChange(
  location: string,
  bytes: number,
  recorded: ExportedFile,
  { files, signal }: RemovalContext,
): Promise<string | undefined> {
  if (bytes !== recorded.bytes) return `has ${plural(bytes, 'byte')}, ${recorded.bytes} were recorded`;
  try {
    const sha256 = await hashFile(location, 'sha256', { read: files.read, signal });
    return sha256 === recorded.sha256 ? undefined : 'does not have the recorded sha256';
  } catch {
    signal.throwIfAborted();
    return 'cannot be read';
  }
}
