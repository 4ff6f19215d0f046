import { TickhaulError } from '../base/errors.js';
import { findOutputFormat, withoutOutputExtension } from '../base/output-format-names.js';
import { DAY_FILE_EXTENSION, type DayFile, parseDayFileName } from '../day-files/day-file.js';
import { dayFileName } from '../day-files/layout.js';
import type { Destination } from '../store/destination.js';
import type { Files, StoredFileInfo, StoreSettings } from '../store/files.js';
import { absoluteLocation, parentLocation, relativeLocation } from '../store/location.js';
import { createDestinationFinder, type FindDestination, openDestination } from '../store/open-destination.js';
import { AuditLog, type AuditRecord, contentVersion, createCorruptRecord } from './audit-log.js';
import type { CheckThresholds } from './content-check.js';
import type { AuditSource } from './plan-days.js';

/** A download folder with its log. */
interface DownloadFolder {
  readonly destination: Destination;
  readonly log: AuditLog;
}

/** A file in a download folder. */
export interface FolderFile {
  readonly log: AuditLog;
  /** Relative to the folder, with `/`. */
  readonly path: string;
}

/** Finds the download folders of files, and opens each once. */
export class DownloadFolders {
  readonly #configured: string;
  readonly #store: StoreSettings | undefined;
  readonly #signal: AbortSignal;
  readonly #find: FindDestination;
  readonly #opened = new Map<string, Promise<DownloadFolder>>();

  /** @param configured location of the configured download folder. */
  constructor(configured: string, files: Files, store: StoreSettings | undefined, signal: AbortSignal) {
    this.#configured = absoluteLocation(configured.replace(/([^:/])\/+$/, '$1'));
    this.#store = store;
    this.#signal = signal;
    this.#find = createDestinationFinder(files, signal);
  }

  /** The folders that were opened so far. */
  opened(): Promise<readonly DownloadFolder[]> {
    return Promise.all(this.#opened.values());
  }

  /**
   * The configured folder if it contains the file, else the nearest folder above with a manifest; undefined if there is
   * none. @throws TickhaulError `disk`; errors of the store.
   */
  async find(location: string): Promise<FolderFile | undefined> {
    const absolute = absoluteLocation(location);
    const inConfigured = relativeLocation(this.#configured, absolute);
    const parent = parentLocation(absolute);
    const dir = inConfigured === undefined ? parent && (await this.#find(parent)) : this.#configured;
    const path = dir === undefined ? undefined : relativeLocation(dir, absolute);
    return dir === undefined || path === undefined ? undefined : { log: (await this.#open(dir)).log, path };
  }

  async close(): Promise<void> {
    for (const folder of this.#opened.values()) await (await folder).destination.close();
  }

  #open(dir: string): Promise<DownloadFolder> {
    const opened = this.#opened.get(dir) ?? this.#create(dir);
    this.#opened.set(dir, opened);
    return opened;
  }

  async #create(dir: string): Promise<DownloadFolder> {
    const destination = await openDestination(dir, this.#store, this.#signal);
    return { destination, log: await AuditLog.open(destination, this.#signal) };
  }
}

/** Where the results of a file are recorded, and its record if the file has not changed since. */
export interface KnownFile {
  /** Undefined for a file outside of a download folder. */
  readonly folderFile: FolderFile | undefined;
  readonly record: AuditRecord | undefined;
}

/** @throws TickhaulError `disk`; errors of the store; the abort reason. */
export async function findKnownFile(
  { path, info }: Pick<AuditSource, 'info'> & { readonly path: string },
  thresholds: CheckThresholds,
  folders: DownloadFolders,
  files: Files,
  signal: AbortSignal,
): Promise<KnownFile> {
  const folderFile = await folders.find(path);
  const record = folderFile?.log.find(folderFile.path, thresholds);
  if (!record) return { folderFile, record: undefined };
  const found = info ?? (await files.stat(path, signal).catch(ignoreFileError));
  return { folderFile, record: isUnchanged(record, found) ? record : undefined };
}

/** Records that a file is corrupt; a file that is gone has no record. @throws as `AuditLog.add` does. */
export async function recordCorruptFile(
  { path, file, info }: Pick<AuditSource, 'path' | 'file' | 'info'>,
  folderFile: FolderFile,
  thresholds: CheckThresholds,
  files: Files,
  signal: AbortSignal,
): Promise<void> {
  const found = info ?? (await files.stat(path, signal).catch(ignoreFileError));
  if (found) await folderFile.log.add(createCorruptRecord(folderFile.path, file, found, thresholds), signal);
}

/** Whether a file is still the one that was audited. @param found undefined if it does not exist. */
export function isUnchanged(record: AuditRecord, found: StoredFileInfo | undefined): boolean {
  return found?.bytes === record.bytes && contentVersion(found) === record.version;
}

/** The audit of the file reports the error with its path. */
function ignoreFileError(error: unknown): undefined {
  if (!(error instanceof TickhaulError)) throw error;
}

/**
 * Finds the day files of which a conversion exists, by its name or by the manifest of its download folder.
 * @param roots folders to search.
 * @returns whether a day file has one.
 */
export async function findConversions(
  roots: Iterable<string>,
  folders: readonly DownloadFolder[],
  store: StoreSettings | undefined,
  signal: AbortSignal,
): Promise<(file: DayFile) => boolean> {
  const locations = new Set<string>();
  const names = new Set<string>();
  for (const root of roots) {
    const destination = await openDestination(root, store, signal);
    try {
      for await (const page of destination.list('', signal)) {
        for (const { path } of page) {
          if (path.endsWith(DAY_FILE_EXTENSION) || findOutputFormat(path) === undefined) continue;
          locations.add(absoluteLocation(destination.locate(path)));
          const file = parseDayFileName(`${withoutOutputExtension(path)}${DAY_FILE_EXTENSION}`);
          if (file) names.add(dayFileName(file));
        }
      }
    } finally {
      await destination.close();
    }
  }
  for (const { destination } of locations.size > 0 ? folders : []) {
    for (const { file, conversions = [] } of (await destination.readRecords({ warn: () => {}, signal })) ??
      [])
      if (conversions.some(({ path }) => locations.has(absoluteLocation(destination.locate(path)))))
        names.add(dayFileName(file));
  }
  return (file) => names.has(dayFileName(file));
}
