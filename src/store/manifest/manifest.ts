import type { ManifestRecord } from '../manifest-record.js';
import type { DownloadHistory } from './download-history.js';

export interface ManifestOptions {
  /** Receives one line about each kind of skipped lines. */
  readonly warn: (message: string) => void;
  /**
   * Aborts slow operations on an object store: reading and compaction. Appended records are still written;
   * see `flushSoon`.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The records of a destination's verified files (docs/spec/manifest.md#manifest-file). Several processes may
 * append at once; each has its own records and those that existed when it opened the manifest.
 */
export interface Manifest {
  /** Number of paths. */
  readonly size: number;
  /** Sizes and rates for estimates. */
  readonly history: Pick<DownloadHistory, 'daySize' | 'bytesPerSecond'>;
  has(path: string): boolean;
  get(path: string): ManifestRecord | undefined;
  records(): IterableIterator<ManifestRecord>;
  /**
   * The current contents, including records that other processes appended since the manifest was opened.
   * @param scope the records that will be needed; default is the scope of `openManifest`.
   * @throws TickhaulError `disk`; errors of an object store; the abort reason.
   */
  reread(scope?: ManifestScope, signal?: AbortSignal): Promise<Pick<Manifest, 'has' | 'get'>>;
  /**
   * Resolves when the record is written. A dropped record without conversions removes the path.
   * @throws TickhaulError `disk`.
   */
  append(record: ManifestRecord): Promise<void>;
  /** Writes buffered records at once. Failures are reported by `append`. */
  flush(): Promise<void>;
  /**
   * Call it when a run ends early, by a failure or an interrupt. Buffered records then have a few seconds to
   * be written to an object store, and nothing is compacted, so a store that is down does not delay the end.
   * The next run finds and verifies files whose records are lost.
   */
  flushSoon(): void;
  /** Waits for pending appends. @throws TickhaulError `disk`. */
  close(): Promise<void>;
}

/** Selects records of a manifest in an object store, which has many parts; undefined selects all. */
export interface ManifestScope {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** UTC days; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** One scope, or the union of several. */
export type ManifestScopes = ManifestScope | readonly ManifestScope[];
