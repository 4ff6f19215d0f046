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
  /** A location. */
  readonly path: string;
  /** Of a CSV; undefined where name or header tell it. */
  readonly dataType?: string | undefined;
  readonly store?: StoreSettings | undefined;
  readonly signal: AbortSignal;
}

/**
 * Says what a `.csv.gz`, `.parquet` or `.ndjson` file (plain, `.gz`, `.zst`) holds.
 * @throws TickhaulError `usage` for another file or none, `createCorruptError`, `disk`; what a store throws.
 */
export async function inspectFile({ store, ...input }: InspectInput): Promise<Inspection> {
  const files = openFiles(store);
  try {
    return await inspectIn(files, input);
  } finally {
    await files.close();
  }
}

async function inspectIn(
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
    `${path}: not a kind of file that is known here: .csv.gz, .parquet, .ndjson, .ndjson.gz, .ndjson.zst`,
  );
}

async function assertFileExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  if (await files.stat(path, signal)) return;
  if (isObjectLocation(path)) await assertBucketExists(files, path, signal);
  // A folder, a pipe; no object stands so.
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  throw usageError(
    isThere
      ? `${path}: not a file; name one file to inspect`
      : `${path}: ${whyNotFound(path, 'there is no such file')}`,
  );
}

/** A look at what isn't there can't tell whether its bucket is. @throws usage error for one that isn't. */
async function assertBucketExists(files: Files, path: string, signal: AbortSignal): Promise<void> {
  try {
    await files.read(path, async () => {}, signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'missing') throw error;
  }
}
