import { access } from 'node:fs/promises';
import { whyNotFound } from '../base/disk-files.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { findOutputFormat } from '../base/output-format-names.js';
import { joinWithOr } from '../base/units.js';
import { parseDayFileName } from '../dataset/day-file.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';
import { inspectCsv } from './inspect-csv.js';
import { FEATHER_EXTENSION, INSPECTED_EXTENSIONS, type Inspection } from './inspection.js';

export type { Cell, InspectedColumn, TimeGap } from '../format/inspection/file-content.js';
export type { Inspection } from './inspection.js';

export interface InspectInput {
  /** Location of the file. */
  readonly path: string;
  /** Data type of a CSV file; undefined to find it by name or header. */
  readonly dataType?: string | undefined;
  readonly store?: StoreSettings | undefined;
  readonly signal: AbortSignal;
}

/**
 * Summarizes the content of a day file or of a conversion's output.
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
  const format = path.endsWith(FEATHER_EXTENSION) ? 'arrow' : findOutputFormat(path);
  if (format) return { path, format, ...(await OUTPUT_FORMATS[format].inspect(path, files, signal)) };
  if (path.endsWith('.gz')) {
    return inspectCsv(path, dataType ?? parseDayFileName(path)?.dataType, files.read, signal);
  }
  throw usageError(`${path}: unknown kind of file; inspect ${joinWithOr(INSPECTED_EXTENSIONS)}`);
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
      ? `${path}: not a file; specify one file to inspect`
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
