import { TickhaulError, usageError } from '../base/errors.js';
import { compareTexts, didYouMean } from '../base/text.js';
import { plural } from '../base/units.js';
import { formatDay } from '../day-files/day.js';
import { DAY_FILE_EXTENSION, type DayFile } from '../day-files/day-file.js';
import { type DayFileSelection, openDayFileFilter } from '../day-files/series-filter.js';
import type { Destination } from './destination.js';
import { type JsonLine, parseJsonLines } from './manifest/json-line.js';
import type { ManifestOptions } from './manifest/manifest.js';
import { findDifference, type ManifestRecord } from './manifest-record.js';

/** A day file in a lock file. */
export interface LockedFile {
  readonly file: DayFile;
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
}

const LOCK_FILE_VERSION = 1;
const HEADER_FIELDS = ['tickhaulLock'];
const FILE_FIELDS = ['path', 'exchange', 'dataType', 'symbol', 'date', 'bytes', 'sha256'];

/**
 * Formats a lock file (docs/spec/manifest.md#lock-file). Equal files result in equal bytes, and a changed
 * file changes one line.
 */
export function* formatLockFile(files: readonly LockedFile[]): Generator<string> {
  yield `${JSON.stringify({ tickhaulLock: LOCK_FILE_VERSION })}\n`;
  for (const { path, file, bytes, sha256 } of sortByPath(files)) {
    const { exchange, dataType, symbol, day } = file;
    yield `${JSON.stringify({ path, exchange, dataType, symbol, date: formatDay(day), bytes, sha256 })}\n`;
  }
}

function sortByPath<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  return files.toSorted((a, b) => compareTexts(a.path, b.path));
}

/**
 * Parses a lock file.
 * @param name of the file, for errors.
 * @throws usage error with file and line for anything that `formatLockFile` does not write.
 */
export function parseLockFile(text: string, name: string): readonly LockedFile[] {
  const lines = parseJsonLines(text, name);
  const header = lines.next();
  if (header.done || !header.value.has('tickhaulLock')) {
    throw usageError(
      `${name}: is not a lock file of tickhaul: its first line is not {"tickhaulLock":${LOCK_FILE_VERSION}}`,
    );
  }
  rejectUnknownFields(header.value, HEADER_FIELDS);
  const version = header.value.count('tickhaulLock');
  if (version !== LOCK_FILE_VERSION) {
    header.value.fail(
      `the lock file has version ${version}, but this tickhaul supports only ${LOCK_FILE_VERSION}; update it`,
    );
  }
  const files = new Map<string, LockedFile>();
  for (const line of lines) {
    const locked = parseLocked(line);
    if (files.has(locked.path)) line.fail(`${locked.path} occurs twice`);
    files.set(locked.path, locked);
  }
  if (files.size === 0) throw usageError(`${name}: contains no day files; create it with tickhaul lock`);
  return [...files.values()];
}

function parseLocked(line: JsonLine): LockedFile {
  rejectUnknownFields(line, FILE_FIELDS);
  const path = line.path('path');
  if (!path.endsWith(DAY_FILE_EXTENSION))
    line.fail(`the path "${path}" does not end in ${DAY_FILE_EXTENSION}`);
  const sha256 = line.text('sha256');
  if (!/^[0-9a-f]{64}$/.test(sha256)) line.fail(`"sha256" is "${sha256}", but must be 64 hex digits`);
  return { file: line.dayFile(), path, bytes: line.count('bytes'), sha256 };
}

function rejectUnknownFields(line: JsonLine, known: readonly string[]): void {
  const other = line.names().find((field) => !known.includes(field));
  if (other !== undefined) line.fail(`unknown key "${other}"${didYouMean(other, known)}`);
}

/** Formats a list for `md5sum -c` or `sha256sum -c` (docs/spec/manifest.md#checksum-lists). */
export function* formatChecksums(
  records: readonly ManifestRecord[],
  format: 'md5sum' | 'sha256sum',
): Generator<string> {
  for (const { path, md5, sha256, dropped } of sortByPath(records)) {
    // The check would report a CSV that was deleted on purpose as missing.
    if (dropped) continue;
    const isEscaped = /[\n\r]/.test(path);
    const name = path.replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    yield `${isEscaped ? '\\' : ''}${format === 'md5sum' ? md5 : sha256}  ${name}\n`;
  }
}

/**
 * Reads the records of a download folder for a lock file or checksum list.
 * @throws usage error if there are none; as the filter; `missing` if a file does not exist or differs from its record.
 */
export async function readLockableRecords(
  destination: Destination,
  selection: DayFileSelection,
  options: ManifestOptions,
): Promise<readonly ManifestRecord[]> {
  const { name } = destination;
  const manifest = await destination.openManifest(options);
  const all = [...manifest.records()];
  await manifest.close();
  if (all.length === 0) throw usageError(`${name}: nothing is downloaded here; set the folder with --dir`);
  const filter = await openDayFileFilter(selection, () => all.map(({ file }) => file));
  const records = all.filter(({ file }) => filter.matches(file));
  filter.assertMatched();
  const lookup = await destination.openLookup(undefined, options.signal);
  const bad = records.filter(
    (record) => !record.dropped && findDifference(record, lookup.get(record.path)) !== undefined,
  );
  const [first] = bad;
  if (!first) return records;
  throw new TickhaulError(
    'missing',
    `${name}: ${plural(bad.length, 'file')} of the manifest missing or ${destination.hasLocalPaths ? 'of another size' : 'overwritten'}, the first is ${first.path}; run tickhaul verify with --repair, or with --forget if they were deleted on purpose`,
  );
}
