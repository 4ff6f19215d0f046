import type { FileHandle } from 'node:fs/promises';
import { DownloadHistory } from '../manifest/download-history.js';
import { LineStore } from '../manifest/line-store.js';
import { isForgotten, parseManifestLine, type SkippedLines, splitLines } from '../manifest/manifest-line.js';
import type { ManifestRecord } from '../manifest-record.js';
import { isDayFilePath } from '../paths.js';

/** Contents of a manifest file. */
export interface ManifestScan extends SkippedLines {
  readonly live: LineStore;
  readonly history: DownloadHistory;
  /** Number of lines in the file, including skipped ones. */
  readonly lines: number;
  /** Position after the last complete line. */
  readonly end: number;
}

const CHUNK_BYTES = 1024 * 1024;

/** Stores the line as the last one of its path, or removes the path if its day file is forgotten. */
export function applyLine(live: LineStore, record: ManifestRecord, line: string): void {
  if (isForgotten(record)) live.delete(record.path);
  else live.set(record.path, line);
}

/** Reads a manifest from its start. */
export async function scanManifest(handle: FileHandle): Promise<ManifestScan> {
  const live = new LineStore();
  const history = new DownloadHistory();
  const damaged: number[] = [];
  const outside: number[] = [];
  let lines = 0;
  const { end, rest } = await forEachLine(handle, 0, (line) => {
    lines++;
    if (line === '') return;
    const record = parseManifestLine(line);
    if (record === undefined) damaged.push(lines);
    else if (!isDayFilePath(record.path)) outside.push(lines);
    else {
      applyLine(live, record, line);
      history.add(record);
    }
  });
  return { live, history, lines, end, hasPartialLine: rest > 0, damaged, outside };
}

/**
 * Passes each complete line from position `start` on to `use`, without its line feed.
 * @returns the position after the last complete line, and the number of bytes that follow.
 */
export async function forEachLine(
  handle: FileHandle,
  start: number,
  use: (line: string) => void,
): Promise<{ end: number; rest: number }> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let partialBytes = 0;
  for (let position = start; ; ) {
    if (partialBytes === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await handle.read(buffer, partialBytes, buffer.length - partialBytes, position);
    if (bytesRead === 0) return { end: position - partialBytes, rest: partialBytes };
    position += bytesRead;
    const filled = buffer.subarray(0, partialBytes + bytesRead);
    const from = splitLines(filled, partialBytes, use);
    filled.copy(buffer, 0, from);
    partialBytes = filled.length - from;
  }
}
