import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { UNFINISHED } from './layout.js';

/** Bytes of a slice up to which it is written in this thread. */
const SMALL_SLICE = 32 * 1024;
/** Milliseconds that such a write may take on average; that one counts for at most; that all may be late together. */
const QUICK_MS = 1;
const SLOW_MS = 5;
const MOST_LATE_MS = 50;

/** Writes a slice under its name, as a whole. */
export type SliceWriter = (file: string, bytes: Buffer) => Promise<void>;

/**
 * Small slices are written in this thread: Node's way of a write over other threads and back takes ten times as long as
 * the write. As soon as a disk shows to be slow, nothing waits for it any more.
 */
export function createSliceWriter(): SliceWriter {
  // Names that no other process has.
  const run = randomBytes(8).toString('hex');
  let count = 0;
  let lateMs = 0;

  const write = async (unfinished: string, file: string, bytes: Buffer): Promise<void> => {
    if (bytes.length > SMALL_SLICE || lateMs > MOST_LATE_MS) {
      await writeFile(unfinished, bytes, { flag: 'wx' });
      await rename(unfinished, file);
      return;
    }
    const began = performance.now();
    writeFileSync(unfinished, bytes, { flag: 'wx' });
    renameSync(unfinished, file);
    const tookMs = Math.min(performance.now() - began, SLOW_MS);
    lateMs = Math.max(0, lateMs + tookMs - QUICK_MS);
  };
  /** Most slices find their folder there; another process may empty the cache at any moment. */
  const writeSlice = async (file: string, bytes: Buffer, tries: number): Promise<void> => {
    const unfinished = `${file.replace(/\.[a-z]+$/, '')}${run}${count++}${UNFINISHED}`;
    try {
      await write(unfinished, file, bytes);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      const hasNoFolder = isSystemError(error) && error.code === 'ENOENT' && tries > 1;
      if (!hasNoFolder) throw error;
      await makeFolder(dirname(file));
      await writeSlice(file, bytes, tries - 1);
    }
  };
  return (file, bytes) => writeSlice(file, bytes, 3);
}
