import { type FileHandle, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { openRegular } from '../../base/open-regular.js';
import { plural } from '../../base/units.js';
import { NO_FOLLOW } from '../no-follow.js';
import { manifestPath } from '../state-folder.js';
import type { ManifestRecord } from '../types.js';
import { compactManifest } from './compact.js';
import { History } from './history.js';
import { LineStore } from './line-store.js';
import { formatLine, parseLine } from './manifest-line.js';
import { keepLine, type ManifestScan, scanManifest } from './manifest-scan.js';
import { ManifestWriter } from './manifest-writer.js';
import type { ManifestScope } from './scope.js';

export interface ManifestOptions {
  /** Is told, in one line each, what of the file was passed over. */
  readonly warn: (message: string) => void;
  /** Ends what takes long with a store: reading, and compaction. What was appended is written (but see `hurry`). */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The record of what a download folder holds: `.tickhaul/manifest.jsonl`, one JSON object a line, the last
 * line of a path wins. Several processes may append at once; each knows its own records and those that were
 * there when it opened the file.
 */
export interface Manifest {
  /** How many paths it knows. */
  readonly size: number;
  /** What the records tell of days to come. */
  readonly history: Pick<History, 'daySize' | 'bytesPerSecond'>;
  has(path: string): boolean;
  get(path: string): ManifestRecord | undefined;
  records(): IterableIterator<ManifestRecord>;
  /**
   * What it would know if it were opened now, with what others recorded since.
   * @param scope which part will be asked for; left out, that for which it was opened.
   * @throws TickhaulError `disk`; of a store; the reason of an abort.
   */
  now(scope?: ManifestScope, signal?: AbortSignal): Promise<Pick<Manifest, 'has' | 'get'>>;
  /**
   * Resolves when the record is written. One that was dropped and has no conversions is known no more.
   * @throws TickhaulError `disk`.
   */
  append(record: ManifestRecord): Promise<void>;
  /** Writes at once what waits for others to be written with. Failures are those of the appends. */
  flush(): Promise<void>;
  /**
   * To be called when a run ends before its time, by a failure or an interrupt. A store that is down holds nobody then:
   * what is appended has some seconds to be written, and nothing is compacted. What gets no record is found by the next
   * run, and read once.
   */
  hurry(): void;
  /** Waits for what is being appended. @throws TickhaulError `disk`. */
  close(): Promise<void>;
}

const COMPACT_FROM_LINES = 1000;
const EMPTY: Omit<ManifestScan, 'live' | 'history'> = {
  lines: 0,
  end: 0,
  halfLine: false,
  damaged: [],
  outside: [],
};

/**
 * Opens the manifest of a download folder; a missing one is empty, and is made by the first append.
 * @throws TickhaulError `disk`.
 */
export async function openManifest(dir: string, options: ManifestOptions): Promise<Manifest> {
  const path = manifestPath(dir);
  const version = await versionOf(path);
  const scan = await readManifest(path);
  for (const message of findings(scan, path)) options.warn(message);
  const manifest = new ManifestFile(path, scan, version);
  if (scan.damaged.length + scan.outside.length > 0) await manifest.compact();
  else await manifest.compactIfGrown();
  return manifest;
}

/**
 * The records of a folder's manifest, which is left as it is.
 * @throws TickhaulError `disk`.
 */
export async function readRecords(
  dir: string,
  { warn }: ManifestOptions,
): Promise<IterableIterator<ManifestRecord>> {
  const path = manifestPath(dir);
  const scan = await readManifest(path);
  for (const message of findings(scan, path)) warn(message);
  return recordsOf(scan.live);
}

/** Changes with each append to a manifest, and with each compaction. */
async function versionOf(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => '',
  );
}

/** The records of lines that were kept. */
export function* recordsOf(live: LineStore): Generator<ManifestRecord> {
  for (const line of live.values()) {
    const record = parseLine(line);
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
      return { ...EMPTY, live: new LineStore(), history: new History() };
    throw diskError(error, path, 'disk');
  } finally {
    await handle?.close();
  }
}

/** What of a manifest, or of a part of one, was passed over: a line each. */
export function* findings(
  { damaged, outside, halfLine }: Pick<ManifestScan, 'damaged' | 'outside' | 'halfLine'>,
  path: string,
): Generator<string> {
  if (damaged.length > 0)
    yield `${path}: ${plural(damaged.length, 'damaged line')} passed over, the first is line ${damaged[0]}`;
  if (outside.length > 0) {
    yield `${path}: ${plural(outside.length, 'record')} with a path that no day file in this folder has passed over, the first is line ${outside[0]}`;
  }
  if (halfLine) yield `${path}: the last line is cut off, as by a crash, and is passed over`;
}

class ManifestFile implements Manifest {
  readonly history: History;
  readonly #path: string;
  readonly #live: LineStore;
  readonly #writer: ManifestWriter;
  #lines: number;
  /** As it was last read by `now`, and the version that it had then. */
  #latest: { readonly version: string; readonly manifest: Pick<Manifest, 'has' | 'get'> };
  #waiting: ManifestRecord[] = [];
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
    return line === undefined ? undefined : parseLine(line);
  }

  records(): IterableIterator<ManifestRecord> {
    return recordsOf(this.#live);
  }

  async now(): Promise<Pick<Manifest, 'has' | 'get'>> {
    const version = await versionOf(this.#path);
    if (version !== this.#latest.version) {
      const scan = await readManifest(this.#path);
      this.#latest = { version, manifest: new ManifestFile(this.#path, scan, version) };
    }
    return this.#latest.manifest;
  }

  /** Records that come while a write is under way go out together in the next one. */
  append(record: ManifestRecord): Promise<void> {
    this.#waiting.push(record);
    if (this.#waiting.length === 1) {
      this.#writing = this.#writing.catch(() => undefined).then(() => this.#writeWaiting());
    }
    return this.#writing;
  }

  async flush(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  /** A disk takes its time, but not minutes. */
  hurry(): void {}

  async close(): Promise<void> {
    await this.flush();
    try {
      await this.#writer.close();
    } catch (error) {
      throw diskError(error, this.#path, 'disk');
    }
    await this.compactIfGrown();
  }

  async compactIfGrown(): Promise<void> {
    if (this.#lines <= COMPACT_FROM_LINES || this.#lines <= 2 * this.#live.size) return;
    await this.compact();
  }

  /** A manifest that can't be compacted serves as well as it did: only a full disk is worth an end, and that comes soon enough. */
  async compact(): Promise<void> {
    try {
      if (await compactManifest(this.#path, Date.now())) this.#lines = this.#live.size;
    } catch (error) {
      if (!(diskError(error, this.#path, 'disk') instanceof TickhaulError)) throw error;
    }
  }

  async #writeWaiting(): Promise<void> {
    const records = this.#waiting;
    this.#waiting = [];
    const lines = records.map(formatLine);
    try {
      await makeFolder(dirname(this.#path));
      await this.#writer.append(lines.join(''));
    } catch (error) {
      throw diskError(error, this.#path, 'disk');
    }
    this.#lines += lines.length;
    records.forEach((record, index) => {
      keepLine(this.#live, record, (lines[index] ?? '').trimEnd());
      this.history.see(record);
    });
  }
}
