import { type FileHandle, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder, NO_FOLLOW, openRegular } from '../../base/disk-files.js';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { DownloadHistory } from '../manifest/download-history.js';
import type { Manifest, ManifestOptions } from '../manifest/manifest.js';
import {
  describeSkippedLines,
  formatManifestLine,
  LineStore,
  parseManifestLine,
  parseManifestLines,
} from '../manifest/manifest-line.js';
import type { ManifestRecord } from '../manifest-record.js';
import { manifestPath } from '../paths.js';
import {
  applyLine,
  compactManifest,
  type ManifestScan,
  ManifestWriter,
  scanManifest,
} from './manifest-file.js';

const COMPACT_FROM_LINES = 1000;
const EMPTY_SCAN: Omit<ManifestScan, 'live' | 'history'> = {
  lines: 0,
  end: 0,
  hasPartialLine: false,
  damaged: [],
  outside: [],
};

/**
 * Opens the manifest of a download folder, `.tickhaul/manifest.jsonl` (docs/spec/manifest.md#manifest-file). If it is missing, it is empty, and the first append creates it.
 * @throws TickhaulError `disk`.
 */
export async function openFolderManifest(dir: string, options: ManifestOptions): Promise<Manifest> {
  const path = manifestPath(dir);
  const version = await readFileVersion(path);
  const scan = await readManifest(path);
  for (const message of describeSkippedLines(scan, path)) options.warn(message);
  const manifest = new FolderManifest(path, scan, version);
  if (scan.damaged.length + scan.outside.length > 0) await manifest.compact();
  else await manifest.compactIfGrown();
  return manifest;
}

/**
 * Reads the records of a folder's manifest without changing it; undefined if there is none.
 * @throws TickhaulError `disk`.
 */
export async function readFolderManifest(
  dir: string,
  { warn }: ManifestOptions,
): Promise<IterableIterator<ManifestRecord> | undefined> {
  const path = manifestPath(dir);
  if (!(await exists(path))) return undefined;
  const scan = await readManifest(path);
  for (const message of describeSkippedLines(scan, path)) warn(message);
  return parseManifestLines(scan.live.values());
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return false;
    throw toDiskError(error, path, 'disk');
  }
}

/** A text that changes with each append and each compaction. */
async function readFileVersion(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => '',
  );
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

class FolderManifest implements Manifest {
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
    this.#writer = new ManifestWriter(path, () => compactManifest(path));
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
    return parseManifestLines(this.#live.values());
  }

  async reread(): Promise<Pick<Manifest, 'has' | 'get'>> {
    const version = await readFileVersion(this.#path);
    if (version !== this.#latest.version) {
      const scan = await readManifest(this.#path);
      this.#latest = { version, manifest: new FolderManifest(this.#path, scan, version) };
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
   * Ignores errors of the system: an uncompacted manifest works as well, and a full disk soon causes another error.
   */
  async compact(): Promise<void> {
    try {
      if (await compactManifest(this.#path)) this.#lines = this.#live.size;
    } catch (error) {
      if (!isSystemError(error)) throw error;
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
