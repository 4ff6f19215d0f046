import { usageError } from '../base/errors.js';
import { isReplaced, whyNotFound } from '../base/utf8-name.js';
import { DAY_FILE_EXTENSION, type DayFile } from '../dataset/day-file.js';
import { parseDayFileName } from '../dataset/parse-day-file-name.js';
import type { Destination, ListedEntry } from '../store/destination.js';
import type { StoredFileInfo } from '../store/files.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { parsePartPath } from '../store/part-path.js';
import { isInside } from '../store/paths.js';
import type { RecordedFiles } from './recorded-files.js';
import type { VerifyScope } from './verify-scope.js';

/** What stands in a download folder, beside what its manifest tells of. Paths are relative to it, with `/`. */
export interface FolderContents {
  /** Day files that nobody recorded. */
  readonly unknown: readonly string[];
  /** What conversions made, by hand: of those of a download, the manifest tells. */
  readonly outputs: readonly string[];
  /** Files and folders whose names Node can't decode, and so nothing can be done with. */
  readonly undecoded: readonly string[];
  readonly parts: readonly string[];
  /** What a store's listing tells of its objects; undefined for a folder, whose files are looked at one by one. */
  readonly listed: ReadonlyMap<string, StoredFileInfo> | undefined;
}

/** Looks through a download folder. @throws usage error for a path that is neither there nor recorded; `disk`. */
export async function listFolderContents(
  destination: Destination,
  scope: VerifyScope,
  manifest: Manifest,
  { roots, conversions }: RecordedFiles,
  signal: AbortSignal,
): Promise<FolderContents> {
  const unknown: string[] = [];
  const outputs: string[] = [];
  const undecoded: string[] = [];
  const parts: string[] = [];
  const listed = destination.kind === 'folder' ? undefined : new Map<string, StoredFileInfo>();
  const isMeant = (path: string): boolean => scope.includes(parseFileName(path));
  const sort = (path: string): void => {
    if (path.endsWith('.part')) {
      if (isMeant(path)) parts.push(path);
    } else if (path.endsWith(DAY_FILE_EXTENSION)) {
      if (!manifest.has(path) && isMeant(path)) unknown.push(path);
    } else if (outputKindOfPath(path) !== undefined && !conversions.has(path) && isMeant(path)) {
      (isInside(path) ? outputs : unknown).push(path);
    }
  };
  for (const root of scope.roots) {
    for await (const files of listFiles(destination, root, roots.has(root), signal)) {
      for (const { path, bytes, etag } of files) {
        if (isReplaced(path) && !(await destination.files.stat(destination.locate(path), signal))) {
          undecoded.push(path);
          continue;
        }
        sort(path);
        if (bytes !== undefined) listed?.set(path, { bytes, etag });
      }
    }
  }
  return { unknown, outputs, undecoded, parts, listed };
}

/** The day file that a file's name tells: of a day file, of a conversion's output, or of a part of either. */
export function parseFileName(path: string): DayFile | undefined {
  const whole = parsePartPath(path)?.finalPath ?? path;
  return parseDayFileName(whole.replace(OUTPUT, DAY_FILE_EXTENSION));
}

const OUTPUT = /\.(?:parquet|ndjson(?:\.gz|\.zst)?)$/;

/** By what a conversion's output is named. */
export function outputKindOfPath(path: string): 'parquet' | 'ndjson' | undefined {
  if (path.endsWith('.parquet')) return 'parquet';
  return /\.ndjson(\.gz|\.zst)?$/.test(path) ? 'ndjson' : undefined;
}

async function* listFiles(
  destination: Destination,
  root: string,
  isRecorded: boolean,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const location = destination.locate(root);
  const file = root === '' ? undefined : await destination.files.stat(location, signal);
  if (file) return yield [{ path: root, ...file }];
  let isThere = isRecorded || root === '';
  for await (const files of destination.list(root, signal)) {
    isThere ||= files.length > 0;
    yield files;
  }
  // A folder with nothing in it is there too.
  if (isThere || (await destination.openLookup(() => [root], signal)).has(root)) return;
  throw usageError(
    `${location}: ${whyNotFound(location, 'there is no such file or folder, and no record of one')}`,
  );
}
