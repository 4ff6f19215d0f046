import { opendir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { abortReason, isSystemError, TickhaulError, toDiskError, toFileError } from '../../base/errors.js';
import { Semaphore } from '../../base/semaphore.js';
import { secondsSince } from '../../base/units.js';
import type { EventSink, FileEvent, RunSummary } from '../../events/run-events.js';
import { createRunTally } from '../../events/run-tally.js';
import { keepUpTo, unpackSlice } from './unpack-slice.js';

const SLICE = /\.json\.(?:gz|zst)$/;

/**
 * Paths of all slices below a folder, in any order; none if the folder does not exist. Links are not
 * followed.
 */
async function* walkSlices(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* walkSlices(path);
      else if (entry.isFile() && SLICE.test(entry.name)) yield path;
    }
  } catch (error) {
    // Another process may clear the cache at the same time.
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

interface CacheSize {
  readonly slices: number;
  readonly bytes: number;
}

/** Counts the slices of a cache and their bytes on disk. @throws TickhaulError `disk`. */
export async function measureSlices(feeds: string): Promise<CacheSize> {
  let slices = 0;
  let bytes = 0;
  try {
    for await (const path of walkSlices(feeds)) {
      // Another process may have removed the file.
      const stats = await stat(path).catch(() => undefined);
      if (!stats) continue;
      slices++;
      bytes += stats.size;
    }
  } catch (error) {
    throw toDiskError(error, feeds);
  }
  return { slices, bytes };
}

/** Share of the limit to free, so that the cache is not scanned for every new slice. */
const FREED_RATIO = 0.1;

/**
 * If the cache is above its limit, removes the least recently used slices, also those of other clients, until
 * a tenth of the limit is free.
 * @returns bytes below the limit afterwards.
 */
export async function evictSlices(feeds: string, limit: number): Promise<number> {
  const slices: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = [];
  let total = 0;
  for await (const path of walkSlices(feeds)) {
    // Another process may have removed the file.
    const stats = await stat(path).catch(() => undefined);
    if (!stats) continue;
    slices.push({ path, bytes: stats.size, usedMs: Math.max(stats.atimeMs, stats.mtimeMs) });
    total += stats.size;
  }
  if (total > limit) {
    slices.sort((a, b) => a.usedMs - b.usedMs);
    for (const { path, bytes } of slices) {
      if (total <= limit * (1 - FREED_RATIO)) break;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
  return Math.max(0, limit - total);
}

interface CheckSlicesInput {
  /** Cache folder, which holds `feeds`. */
  readonly folder: string;
  /** Slices to check in parallel. */
  readonly jobs: number;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Decompresses every slice of a cache to its end and reports it as `verified` or `corrupt`, with its path
 * below `feeds`.
 * @throws TickhaulError the signal's reason after an abort; `disk` for an unreadable folder.
 */
export async function checkSlices({ folder, jobs, emit, signal }: CheckSlicesInput): Promise<RunSummary> {
  const started = performance.now();
  const feeds = join(folder, 'feeds');
  const paths = await listSlices(feeds);
  if (paths.length === 0) emit({ event: 'note', message: `no slices in ${feeds}: nothing is cached` });
  const tally = createRunTally();
  emit({ event: 'plan', files: paths.length, aim: 'verify' });
  const check = async (path: string): Promise<void> => {
    if (signal.aborted) throw abortReason(signal);
    const event = await checkSlice(feeds, path);
    // Undefined if another process removed the file.
    if (!event) return;
    tally.add(event);
    emit(event);
  };
  const limit = new Semaphore(jobs);
  await Promise.all(paths.map((path) => limit.run(() => check(path))));
  return tally.summary({
    planned: undefined,
    stopped: undefined,
    strict: false,
    seconds: secondsSince(started),
  });
}

async function listSlices(feeds: string): Promise<readonly string[]> {
  const paths: string[] = [];
  try {
    for await (const path of walkSlices(feeds)) paths.push(path);
  } catch (error) {
    throw toDiskError(error, feeds);
  }
  return paths.sort();
}

async function checkSlice(feeds: string, path: string): Promise<FileEvent | undefined> {
  const name = relative(feeds, path).split(sep).join('/');
  const base = { event: 'file', file: undefined, path: name } as const;
  try {
    const bytes = await readFile(path);
    await unpackSlice(bytes, path.endsWith('.zst') ? 'zstd' : 'gzip', keepUpTo(0));
    return { ...base, status: 'verified', bytes: bytes.length };
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    const failure = toDiskError(error, path);
    if (!(failure instanceof TickhaulError)) throw error;
    return { ...base, status: 'corrupt', error: toFileError(failure) };
  }
}
