import { mayBeUndecoded, whyNotFound } from '../base/disk-files.js';
import { usageError } from '../base/errors.js';
import { findOutputFormat, withoutOutputExtension } from '../base/output-format-names.js';
import { DAY_FILE_EXTENSION, type DayFile, parseDayFileName } from '../dataset/day-file.js';
import type { Destination, ListedEntry } from '../store/destination.js';
import type { StoredFileInfo } from '../store/files.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { parsePartPath } from '../store/part-path.js';
import { isInside } from '../store/paths.js';
import { StrayFiles } from '../store/stray-files.js';
import type { RecordedFiles } from './recorded-files.js';
import type { VerifyInput } from './verify-input.js';
import type { VerifyScope } from './verify-scope.js';

/** Contents of a download folder besides the recorded files. Paths are relative to the folder, with `/`. */
export interface FolderContents {
  /** Day files without a record. */
  readonly unknown: readonly string[];
  /** Outputs of `convert`. Outputs of downloads are in the manifest. */
  readonly outputs: readonly string[];
  /** Files and folders whose names Node cannot decode, so that they cannot be accessed. */
  readonly undecoded: readonly string[];
  readonly parts: readonly string[];
  /** One line about the files that were passed over because of their names; undefined for none. */
  readonly passedOver: string | undefined;
  /** The listing of a store's objects; undefined for a folder, whose files are checked one by one. */
  readonly listed: ReadonlyMap<string, StoredFileInfo> | undefined;
}

/** Lists a download folder. @throws usage error for a path that neither exists nor is recorded; `disk`. */
export async function listFolderContents(
  destination: Destination,
  scope: VerifyScope,
  manifest: Manifest,
  { roots, outputs: recorded }: RecordedFiles,
  names: VerifyInput['names'],
  signal: AbortSignal,
): Promise<FolderContents> {
  const unknown: string[] = [];
  const outputs: string[] = [];
  const undecoded: string[] = [];
  const parts: string[] = [];
  const listed = destination.listsFileInfo ? new Map<string, StoredFileInfo>() : undefined;
  const strays = new StrayFiles(destination.files);
  const isPassedOver = async (path: string): Promise<boolean> =>
    !manifest.has(path) && !recorded.has(path) && (await strays.has(path, destination.locate, signal));
  const isInScope = (path: string): boolean => scope.includes(parseFileName(path));
  const classify = (path: string): void => {
    if (path.endsWith('.part')) {
      if (isInScope(path)) parts.push(path);
    } else if (path.endsWith(DAY_FILE_EXTENSION)) {
      if (!manifest.has(path) && isInScope(path)) unknown.push(path);
    } else if (findOutputFormat(path) !== undefined && !recorded.has(path) && isInScope(path)) {
      (isInside(path) ? outputs : unknown).push(path);
    }
  };
  for (const root of scope.roots) {
    for await (const files of listFiles(destination, root, roots.has(root), names?.get(root), signal)) {
      for (const { path, bytes, etag } of files) {
        if (mayBeUndecoded(path) && !(await destination.files.stat(destination.locate(path), signal))) {
          undecoded.push(path);
          continue;
        }
        // A file that the user named is reported.
        if (path === root || !(await isPassedOver(path))) classify(path);
        if (bytes !== undefined) listed?.set(path, { bytes, etag });
      }
    }
  }
  return { unknown, outputs, undecoded, parts, passedOver: strays.describe(), listed };
}

/** The day file that a file's name identifies: of a day file, of a conversion's output, or of a part of either. */
export function parseFileName(path: string): DayFile | undefined {
  const whole = parsePartPath(path)?.finalPath ?? path;
  return parseDayFileName(
    findOutputFormat(whole) ? `${withoutOutputExtension(whole)}${DAY_FILE_EXTENSION}` : whole,
  );
}

async function* listFiles(
  destination: Destination,
  root: string,
  isRecorded: boolean,
  typed: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const location = destination.locate(root);
  const file = root === '' ? undefined : await destination.files.stat(location, signal);
  if (file) return yield [{ path: root, ...file }];
  let exists = isRecorded || root === '';
  for await (const files of destination.list(root, signal)) {
    exists ||= files.length > 0;
    yield files;
  }
  // An empty folder exists too.
  if (exists || (await destination.openLookup(() => [root], signal)).has(root)) return;
  throw usageError(
    `${typed ?? location}: ${whyNotFound(location, 'there is no such file or folder, and no record of one')}`,
  );
}
