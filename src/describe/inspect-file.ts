import { access } from 'node:fs/promises';
import { whyNotFound } from '../base/disk-files.js';
import { TickhaulError, usageError } from '../base/errors.js';
import {
  findOutputFormat,
  OUTPUT_EXTENSIONS,
  type OutputFormatName,
  withoutOutputExtension,
} from '../base/output-format-names.js';
import { joinWithOr } from '../base/units.js';
import { DAY_FILE_EXTENSION, parseDayFileName } from '../day-files/day-file.js';
import type { FileContent } from '../format/file-content.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';

export type { Cell, InspectedColumn, TimeGap } from '../format/file-content.js';

export interface InspectInput {
  /** Location of the file. */
  readonly path: string;
  /** Data type of a CSV; undefined to find it by name or header. */
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
  const format = findFormat(path);
  if (!format) throw usageError(`${path}: unknown kind of file; inspect ${joinWithOr(INSPECTED_EXTENSIONS)}`);
  const named = parseDayFileName(`${withoutOutputExtension(path)}${DAY_FILE_EXTENSION}`);
  const content = await OUTPUT_FORMATS[format].inspect(path, files, signal, dataType ?? named?.dataType);
  return { path, format, ...content };
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

/** Extension of Arrow files of other writers, and of those for freqtrade. */
const FEATHER_EXTENSION = '.feather';

function findFormat(path: string): OutputFormatName | undefined {
  if (path.endsWith(FEATHER_EXTENSION)) return 'arrow';
  return findOutputFormat(path) ?? (path.endsWith('.gz') ? 'csv' : undefined);
}

/** Extensions of the files that can be inspected, with the leading dot. */
export const INSPECTED_EXTENSIONS: readonly string[] = [
  ...OUTPUT_EXTENSIONS.map((extension) => `.${extension}`),
  FEATHER_EXTENSION,
];

/** Summary of a file. */
export interface Inspection extends FileContent {
  readonly path: string;
  readonly format: OutputFormatName;
}
