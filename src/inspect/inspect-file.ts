import { access } from 'node:fs/promises';
import { TickhaulError, usageError } from '../base/errors.js';
import { whyNotFound } from '../base/utf8-name.js';
import { parseDayFileName } from '../dataset/parse-day-file-name.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';
import { inspectCsv } from './inspect-csv.js';
import { inspectNdjson } from './inspect-ndjson.js';
import { inspectParquet } from './inspect-parquet.js';
import type { Inspection } from './inspection.js';

export type { Cell, InspectedColumn, Inspection, TimeGap } from './inspection.js';

export interface InspectInput {
  /** Location of the file. */
  readonly path: string;
  /** Data type of a CSV file; undefined to find it by name or header. */
  readonly dataType?: string | undefined;
  readonly store?: StoreSettings | undefined;
  readonly signal: AbortSignal;
}

/**
 * Summarizes the content of a `.csv.gz`, `.parquet` or `.ndjson` file (plain, `.gz`, `.zst`).
 * @throws TickhaulError `usage` for a missing file or an unknown kind, `corrupt`, `disk`, errors of the
 * store.
 */
export async function inspectFile({ store, ...input }: InspectInput): Promise<Inspection> {
  const files = openFiles(store);
  try {
    return await inspectWith(files, input);
  } finally {
    await files.close();
  }
}

async function inspectWith(
  files: Files,
  { path, dataType, signal }: Omit<InspectInput, 'store'>,
): Promise<Inspection> {
  await assertFileExists(files, path, signal);
  if (path.endsWith('.parquet')) {
    const file = await files.openRandom(path, signal);
    return inspectParquet(path, file, signal).finally(() => file.close());
  }
  if (/\.ndjson(\.gz|\.zst)?$/.test(path)) return inspectNdjson(path, files.read, signal);
  if (path.endsWith('.gz')) {
    return inspectCsv(path, dataType ?? parseDayFileName(path)?.dataType, files.read, signal);
  }
  throw usageError(
    `${path}: unknown kind of file; inspect .csv.gz, .parquet, .ndjson, .ndjson.gz or .ndjson.zst`,
  );
}

async function assertFileExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  if (await files.stat(path, signal)) return;
  if (isObjectLocation(path)) await assertBucketExists(files, path, signal);
  // The path may be a folder or a pipe; an object is always a file.
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  throw usageError(
    exists
      ? `${path}: not a file; name one file to inspect`
      : `${path}: ${whyNotFound(path, 'no such file')}`,
  );
}

/**
 * Reads the object, since a stat does not show whether the bucket exists.
 * @throws TickhaulError if it does not.
 */
async function assertBucketExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  try {
    await files.read(path, async () => {}, signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'missing') throw error;
  }
}
