import type { FileHandle } from 'node:fs/promises';
import { isDayFilePath } from '../paths.js';
import type { ManifestRecord } from '../types.js';
import { takeLines } from './cut-lines.js';
import { History } from './history.js';
import { LineStore } from './line-store.js';
import { parseLine } from './manifest-line.js';

/** What one reading of a manifest file found. */
export interface ManifestScan {
  readonly live: LineStore;
  readonly history: History;
  /** Lines in the file, with those passed over. */
  readonly lines: number;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
  /** Text after the last line feed: a line that a crash cut off, or that another process is writing. */
  readonly halfLine: boolean;
  /** Numbers, from 1, of lines that are no record. */
  readonly damaged: readonly number[];
  /** Numbers, from 1, of records whose path no layout gives to a day file: it leads out of the folder, say. */
  readonly outside: readonly number[];
}

const CHUNK = 1024 * 1024;

/** Notes the last line of a path; one that says that nothing is left of a day file is the end of its record. */
export function keepLine(live: LineStore, record: ManifestRecord, line: string): void {
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
  const history = new History();
  const damaged: number[] = [];
  const outside: number[] = [];
  let lines = 0;
  const { end, rest } = await eachLine(handle, 0, (line) => {
    lines++;
    if (line === '') return;
    const record = parseLine(line);
    if (record === undefined) damaged.push(lines);
    else if (!isDayFilePath(record.path)) outside.push(lines);
    else {
      keepLine(live, record, line);
      history.see(record);
    }
  });
  return { live, history, lines, end, halfLine: rest > 0, damaged, outside };
}

/**
 * Gives each whole line from byte `start` on, without its line feed.
 * @returns the byte after the last whole line, and how many bytes stand behind it.
 */
export async function eachLine(
  handle: FileHandle,
  start: number,
  use: (line: string) => void,
): Promise<{ end: number; rest: number }> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  let kept = 0;
  for (let position = start; ; ) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept, position);
    if (bytesRead === 0) return { end: position - kept, rest: kept };
    position += bytesRead;
    const filled = buffer.subarray(0, kept + bytesRead);
    const from = takeLines(filled, kept, use);
    filled.copy(buffer, 0, from);
    kept = filled.length - from;
  }
}
