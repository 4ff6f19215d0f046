import { abortReason } from '../base/errors.js';
import type { ReadChunks } from '../gzip/read-chunks.js';
import type { Files } from './files.js';

/** Sizes of the requests. */
export interface ReadAheadLimits {
  /** Bytes of a request. */
  readonly rangeBytes: number;
  /** Requests at the same time. */
  readonly maxRanges: number;
}

/** 32 MiB in memory. */
const LIMITS: ReadAheadLimits = { rangeBytes: 8 * 1024 * 1024, maxRanges: 4 };

/**
 * Creates a reader of files that requests several ranges ahead, since one connection to an object store is slower
 * than several threads that process its bytes. Throws what `openRandom` and its reads throw, in the order of the
 * file.
 */
export function createReadAhead(
  files: Pick<Files, 'openRandom'>,
  { rangeBytes, maxRanges }: ReadAheadLimits = LIMITS,
): ReadChunks {
  return async (path, use, signal) => {
    const stop = new AbortController();
    const file = await files.openRandom(path, signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    const ranges: Promise<Buffer>[] = [];
    let position = 0;
    try {
      while (position < file.bytes || ranges.length > 0) {
        while (position < file.bytes && ranges.length < maxRanges) {
          const length = Math.min(rangeBytes, file.bytes - position);
          const range = file.read(position, length);
          range.catch(() => {});
          ranges.push(range);
          position += length;
        }
        const range = (await ranges.shift()) as Buffer;
        if (signal?.aborted) throw abortReason(signal);
        await use(range);
      }
    } finally {
      stop.abort();
      await file.close();
    }
  };
}
