import type { BigIntStats } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../errors.js';
import { publish } from '../integrity/publish.js';
import { fileSink, type Sink } from './parquet/index.js';

/** An output in the making: `<target>.part`, which gets its name when it is whole. */
export interface PartFile extends Sink {
  /** Syncs and renames. */
  publish(): Promise<void>;
  /** Leaves nothing behind; after `publish`, it does nothing. */
  discard(): Promise<void>;
}

/** @throws TickhaulError `disk`, `path_taken`; `write` too. */
export async function openPartFile(target: string): Promise<PartFile> {
  const path = `${target}.part`;
  const handle = await create(path);
  const sink = fileSink(handle);
  const made = await handle.stat({ bigint: true });
  let open = true;
  return {
    async write(bytes) {
      await sink.write(bytes).catch((error: unknown) => {
        throw diskError(error, path);
      });
    },
    async publish() {
      if (!(await isAt(made, path))) {
        throw new TickhaulError('locked', `${target}: another run is making this file; let it end first`);
      }
      await publish(path, target, handle);
      open = false;
    },
    async discard() {
      if (!open) return;
      open = false;
      const ours = await isAt(made, path).catch(() => false);
      await handle.close().catch(() => {});
      if (ours) await rm(path, { force: true });
    },
  };
}

/** A part that is there was left by a killed run, or is another's: that one's handle must not be written to. */
async function create(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
    return await open(path, 'wx');
  } catch (error) {
    throw diskError(error, path);
  }
}

async function isAt(made: BigIntStats, path: string): Promise<boolean> {
  try {
    const there = await stat(path, { bigint: true });
    return made.ino === there.ino && made.dev === there.dev;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}
