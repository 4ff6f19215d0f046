import { parseShallowJson } from '../base/json-depth.js';

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

export function formatExportRecord(record: ExportRecord): string {
  return JSON.stringify(record);
}

/** Undefined for a line that is damaged. */
export function parseExportRecord(line: string): ExportRecord | undefined {
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
