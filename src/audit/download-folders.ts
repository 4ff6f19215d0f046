import type { Destination } from '../store/destination.js';
import type { Files, StoreSettings } from '../store/files.js';
import { createDestinationFinder, type FindDestination } from '../store/find-destination.js';
import { absoluteLocation, parentLocation, relativeLocation } from '../store/location.js';
import { openDestination } from '../store/open-destination.js';
import { AuditLog } from './audit-log.js';

/** A download folder with its log. */
export interface DownloadFolder {
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
