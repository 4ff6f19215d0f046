import { constants, type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder, NO_FOLLOW, openRegular } from '../../base/disk-files.js';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { isOpenFileAt, withExclusiveFile } from '../lock/exclusive-file.js';
import { DownloadHistory } from '../manifest/download-history.js';
import type { Manifest, ManifestOptions } from '../manifest/manifest.js';
import {
  describeSkippedLines,
  formatManifestLine,
  isForgotten,
  LineReader,
  LineStore,
  parseManifestLine,
  parseManifestLines,
  type SkippedLines,
} from '../manifest/manifest-line.js';
import type { ManifestRecord } from '../manifest-record.js';
import { isDayFilePath, manifestPath } from '../paths.js';

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

/** Contents of a manifest file. */
interface ManifestScan extends SkippedLines {
  readonly live: LineStore;
  readonly history: DownloadHistory;
  /** Number of lines in the file, including skipped ones. */
  readonly lines: number;
  /** Position after the last complete line. */
  readonly end: number;
}

/** Sizes of reads: most manifests are small. */
const FIRST_CHUNK_BYTES = 16 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** Stores the line as the last one of its path, or removes the path if its day file is forgotten. */
function applyLine(live: LineStore, record: ManifestRecord, line: string): void {
  if (isForgotten(record)) live.delete(record.path);
  else live.set(record.path, line);
}

/** Reads a manifest from its start. */
async function scanManifest(handle: FileHandle): Promise<ManifestScan> {
  const live = new LineStore();
  const history = new DownloadHistory();
  const reader = new LineReader((line) => {
    const record = parseManifestLine(line);
    if (record === undefined) return 'damaged';
    if (!isDayFilePath(record.path)) return 'outside';
    applyLine(live, record, line);
    history.add(record);
    return 'read';
  });
  const end = await readLines(handle, 0, reader);
  return { live, history, lines: reader.lines, end, ...reader.skipped };
}

/**
 * Passes the bytes from position `start` on to a reader of lines.
 * @returns the position after the last complete line.
 */
export async function readLines(handle: FileHandle, start: number, reader: LineReader): Promise<number> {
  let size = FIRST_CHUNK_BYTES;
  for (let position = start; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, position);
    if (bytesRead === 0) return position - reader.partialBytes;
    position += bytesRead;
    reader.addChunk(buffer.subarray(0, bytesRead));
    if (bytesRead === size) size = Math.min(CHUNK_BYTES, size * 4);
  }
}

const LF = 0x0a;
const REPLACEMENT_POLL_MS = 20;
const MAX_REPLACEMENT_MS = 5000;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW;

/**
 * Appends lines to a manifest that other processes append to and replace at the same time
 * (docs/spec/manifest.md#appending).
 *
 * The file is opened with O_APPEND and each batch is one write, so the lines of two processes do not mix. A
 * compaction renames a new file over the path, and lines written to the old file after that would be lost. So
 * after each write the path is checked: if it leads to another file, the same lines are written again. A
 * repeated line has no effect. See `compactManifest` for the other half.
 *
 * A file with further hard links is part of a snapshot, so it is compacted to a new file first.
 */
export class ManifestWriter {
  readonly #path: string;
  readonly #replace: () => Promise<boolean>;
  #handle: FileHandle | undefined;

  /**
   * @param replace replaces a file that has further hard links, such as those of a snapshot by `cp -al`, by a new one;
   * returns false if another process is doing so.
   */
  constructor(path: string, replace: () => Promise<boolean> = async () => false) {
    this.#path = path;
    this.#replace = replace;
  }

  /** @param lines complete lines, each with its line feed. */
  async append(lines: string): Promise<void> {
    for (let waitedMs = 0; ; ) {
      this.#handle ??= await open(this.#path, APPEND);
      // A process that was killed may have left the lock of a replacement, which must not stop a run for minutes.
      if (waitedMs < MAX_REPLACEMENT_MS && (await this.#handle.stat()).nlink > 1) {
        await this.close();
        if (await this.#replace()) continue;
        waitedMs += REPLACEMENT_POLL_MS;
        await wait(REPLACEMENT_POLL_MS);
        continue;
      }
      await writeLines(this.#handle, lines);
      if (await isOpenFileAt(this.#handle, this.#path)) return;
      await this.close();
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

/** Starts on a new line, even if a crash or a full disk has left a partial one. */
async function writeLines(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  const last = Buffer.of(LF);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const bytes = Buffer.from(last[0] === LF ? lines : `\n${lines}`);
  // Only a full disk or a size limit shortens a write; the next write then throws.
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written)).bytesWritten;
}

const COMPACTION_STALE_MS = 10 * 60_000;
const LINES_PER_WRITE = 4096;

/** The lines of a file that a compaction keeps, and the position after its last complete line. */
interface LiveLines {
  readonly live: { values(): Iterable<string> };
  readonly end: number;
}

/**
 * Replaces a manifest by one with only the last line of each path, while other processes append
 * (docs/spec/manifest.md#compaction).
 *
 * 1. `<manifest>.compact`, created with O_EXCL, is both the lock among compactors and the new file. 2. The
 * live lines are written to it and synced, and it is renamed over the manifest. 3. Lines that others appended
 * to the old file since it was read are appended to the new one. They are read after the rename: a process
 * that appends even later notices that the path leads to another file, and appends again.
 *
 * A crash between steps 2 and 3 can lose a record of these milliseconds. The next run then verifies and
 * records its file again.
 * @param scan reads the file; by default a manifest.
 * @returns whether the manifest was compacted; false if another process is compacting it.
 */
export async function compactManifest(
  path: string,
  scan: (handle: FileHandle) => Promise<LiveLines> = scanManifest,
): Promise<boolean> {
  const newPath = `${path}.compact`;
  const replace = async (output: FileHandle): Promise<boolean> => {
    const old = await open(path, 'r');
    try {
      const { live, end } = await scan(old);
      await writeAll(output, live.values());
      await output.sync();
      // After a long suspension, another process may have taken over the lock and the path.
      if (!(await isOpenFileAt(output, newPath)) || !(await isOpenFileAt(old, path))) return false;
      await rename(newPath, path);
      await copyTail(old, end, path);
      return true;
    } finally {
      await old.close();
    }
  };
  return (await withExclusiveFile(newPath, COMPACTION_STALE_MS, replace)) ?? false;
}

async function writeAll(handle: FileHandle, lines: Iterable<string>): Promise<void> {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line, '\n');
    if (batch.length < 2 * LINES_PER_WRITE) continue;
    await handle.appendFile(batch.join(''));
    batch = [];
  }
  await handle.appendFile(batch.join(''));
}

/** Uses a writer, since another compaction may have started in the meantime. */
async function copyTail(old: FileHandle, from: number, path: string): Promise<void> {
  const tail: string[] = [];
  await readLines(old, from, new LineReader((line) => void tail.push(`${line}\n`)));
  if (tail.length === 0) return;
  const writer = new ManifestWriter(path);
  await writer.append(tail.join('')).finally(() => writer.close());
}
