import type { FileHandle } from 'node:fs/promises';
import type { ManifestRecord } from '../manifest-record.js';
import { isDayFilePath } from '../paths.js';
import { DownloadHistory } from './download-history.js';
import { LineStore } from './line-store.js';
import { parseManifestLine } from './manifest-line.js';
import { splitLines } from './split-lines.js';

/** What one reading of a manifest file found. */
export interface ManifestScan {
  readonly live: LineStore;
  readonly history: DownloadHistory;
  /** Lines in the file, with those passed over. */
  readonly lines: number;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
  /** Text after the last line feed: a line that a crash cut off, or that another process is writing. */
  readonly hasPartialLine: boolean;
  /** Numbers, from 1, of lines that are no record. */
  readonly damaged: readonly number[];
  /** Numbers, from 1, of records whose path no layout gives to a day file: it leads out of the folder, say. */
  readonly outside: readonly number[];
}

const CHUNK_BYTES = 1024 * 1024;

/** Notes the last line of a path; one that says that nothing is left of a day file is the end of its record. */
export function applyLine(live: LineStore, record: ManifestRecord, line: string): void {
  if (isForgotten(record)) live.delete(record.path);
  else live.set(record.path, line);
}

/** Whether a record says that nothing is left of its day file. */
export function isForgotten({ dropped, conversions }: ManifestRecord): boolean {
  return dropped === true && !conversions?.length;
}

/** Reads a manifest from its beginning. */
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
 * Gives each whole line from byte `start` on, without its line feed.
 * @returns the byte after the last whole line, and how many bytes stand behind it.
 */
export async function forEachLine(
  handle: FileHandle,
  start: number,
  use: (line: string) => void,
): Promise<{ end: number; rest: number }> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let kept = 0;
  for (let position = start; ; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept, position);
    if (bytesRead === 0) return { end: position - kept, rest: kept };
    position += bytesRead;
    const filled = buffer.subarray(0, kept + bytesRead);
    const from = splitLines(filled, kept, use);
    filled.copy(buffer, 0, from);
    kept = filled.length - from;
  }
}
