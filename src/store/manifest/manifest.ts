import { type FileHandle, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import { openRegular } from '../../base/open-regular.js';
import { plural } from '../../base/units.js';
import type { ManifestRecord } from '../manifest-record.js';
import { NO_FOLLOW } from '../no-follow.js';
import { manifestPath } from '../state-folder.js';
import { compactManifest } from './compact-manifest.js';
import { DownloadHistory } from './download-history.js';
import { LineStore } from './line-store.js';
import { formatManifestLine, parseManifestLine } from './manifest-line.js';
import { applyLine, type ManifestScan, scanManifest } from './manifest-scan.js';
import type { ManifestScope } from './manifest-scope.js';
import { ManifestWriter } from './manifest-writer.js';

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
 * The manifest of a download folder, `.tickhaul/manifest.jsonl` (docs/spec/manifest.md#manifest-file).
 * Several processes may append at once; each has its own records and those that existed when it opened the
 * file.
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

const COMPACT_FROM_LINES = 1000;
const EMPTY_SCAN: Omit<ManifestScan, 'live' | 'history'> = {
  lines: 0,
  end: 0,
  hasPartialLine: false,
  damaged: [],
  outside: [],
};

/**
 * Opens the manifest of a download folder. If it is missing, it is empty, and the first append creates it.
 * @throws TickhaulError `disk`.
 */
export async function openManifest(dir: string, options: ManifestOptions): Promise<Manifest> {
  const path = manifestPath(dir);
  const version = await readFileVersion(path);
  const scan = await readManifest(path);
  for (const message of describeSkippedLines(scan, path)) options.warn(message);
  const manifest = new ManifestFile(path, scan, version);
  if (scan.damaged.length + scan.outside.length > 0) await manifest.compact();
  else await manifest.compactIfGrown();
  return manifest;
}

/**
 * Reads the records of a folder's manifest without changing it.
 * @throws TickhaulError `disk`.
 */
export async function readManifestRecords(
  dir: string,
  { warn }: ManifestOptions,
): Promise<IterableIterator<ManifestRecord>> {
  const path = manifestPath(dir);
  const scan = await readManifest(path);
  for (const message of describeSkippedLines(scan, path)) warn(message);
  return parseStoredLines(scan.live);
}

/** A text that changes with each append and each compaction. */
async function readFileVersion(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => '',
  );
}

/** Parses the stored lines. */
export function* parseStoredLines(live: LineStore): Generator<ManifestRecord> {
  for (const line of live.values()) {
    const record = parseManifestLine(line);
    if (record !== undefined) yield record;
  }
}

async function readManifest(path: string): Promise<ManifestScan> {
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(path, NO_FOLLOW);
    return await scanManifest(handle);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT')
      return { ...EMPTY_SCAN, live: new LineStore(), history: new DownloadHistory() };
    throw toDiskError(error, path, 'disk');
  } finally {
    await handle?.close();
  }
}

/** Describes the skipped lines of a manifest or of a part of one, one text for each kind. */
export function* describeSkippedLines(
  { damaged, outside, hasPartialLine }: Pick<ManifestScan, 'damaged' | 'outside' | 'hasPartialLine'>,
  path: string,
): Generator<string> {
  if (damaged.length > 0)
    yield `${path}: skipped ${plural(damaged.length, 'damaged line')}, the first is line ${damaged[0]}`;
  if (outside.length > 0) {
    yield `${path}: skipped ${plural(outside.length, 'record')} with a path that no day file in this folder has, the first is line ${outside[0]}`;
  }
  if (hasPartialLine) yield `${path}: skipped the last line, which is incomplete, for example after a crash`;
}

class ManifestFile implements Manifest {
  readonly history: DownloadHistory;
  readonly #path: string;
  readonly #live: LineStore;
  readonly #writer: ManifestWriter;
  #lines: number;
  /** Result of the last `reread`, and the version of the file at that time. */
  #latest: { readonly version: string; readonly manifest: Pick<Manifest, 'has' | 'get'> };
  #pending: ManifestRecord[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, scan: ManifestScan, version: string) {
    this.#path = path;
    this.history = scan.history;
    this.#live = scan.live;
    this.#lines = scan.lines;
    this.#writer = new ManifestWriter(path);
    this.#latest = { version, manifest: this };
  }

  get size(): number {
    return this.#live.size;
  }

  has(path: string): boolean {
    return this.#live.has(path);
  }

  get(path: string): ManifestRecord | undefined {
    const line = this.#live.get(path);
    return line === undefined ? undefined : parseManifestLine(line);
  }

  records(): IterableIterator<ManifestRecord> {
    return parseStoredLines(this.#live);
  }

  async reread(): Promise<Pick<Manifest, 'has' | 'get'>> {
    const version = await readFileVersion(this.#path);
    if (version !== this.#latest.version) {
      const scan = await readManifest(this.#path);
      this.#latest = { version, manifest: new ManifestFile(this.#path, scan, version) };
    }
    return this.#latest.manifest;
  }

  /** Records that are appended during a write are written together in the next one. */
  append(record: ManifestRecord): Promise<void> {
    this.#pending.push(record);
    if (this.#pending.length === 1) {
      this.#writing = this.#writing.catch(() => undefined).then(() => this.#writePending());
    }
    return this.#writing;
  }

  async flush(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  /** Does nothing: a local write may be slow, but does not take minutes. */
  flushSoon(): void {}

  async close(): Promise<void> {
    await this.flush();
    try {
      await this.#writer.close();
    } catch (error) {
      throw toDiskError(error, this.#path, 'disk');
    }
    await this.compactIfGrown();
  }

  async compactIfGrown(): Promise<void> {
    if (this.#lines <= COMPACT_FROM_LINES || this.#lines <= 2 * this.#live.size) return;
    await this.compact();
  }

  /**
   * Ignores disk errors: an uncompacted manifest works as well, and a full disk soon causes another error.
   */
  async compact(): Promise<void> {
    try {
      if (await compactManifest(this.#path, Date.now())) this.#lines = this.#live.size;
    } catch (error) {
      if (!(toDiskError(error, this.#path, 'disk') instanceof TickhaulError)) throw error;
    }
  }

  async #writePending(): Promise<void> {
    const records = this.#pending;
    this.#pending = [];
    const lines = records.map(formatManifestLine);
    try {
      await createFolder(dirname(this.#path));
      await this.#writer.append(lines.join(''));
    } catch (error) {
      throw toDiskError(error, this.#path, 'disk');
    }
    this.#lines += lines.length;
    records.forEach((record, index) => {
      applyLine(this.#live, record, (lines[index] ?? '').trimEnd());
      this.history.add(record);
    });
  }
}
