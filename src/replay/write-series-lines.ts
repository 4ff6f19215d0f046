import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { openRegular, type ReadChunks } from '../base/disk-files.js';
import { abortReason, TickhaulError, toDiskError } from '../base/errors.js';
import type { Semaphore } from '../base/semaphore.js';
import { rejectOnAbort } from '../base/wait.js';
import { toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { US_PER_DAY } from '../day-files/day.js';
import { type GzipReadOptions, readSource } from '../gzip/read-source.js';
import { RowTally } from '../market/day-file/row-tally.js';
import { createTextLines, type LineMemories } from '../market/day-file/text-lines.js';
import { LineBuffer } from '../market/lines/line-buffer.js';
import type { Period } from '../market/trade-bars.js';
import type { Files } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import type { SwapBuffer } from './line-jobs.js';
import type { Arrival, ReplaySeries } from './replay-request.js';

/**
 * Lines are two to three times the size of their rows. Buffers have this capacity from the start, since
 * growing them would fragment the heap; a buffer above `MAX_GROWTH` times the chunk size is shrunk after use.
 */
const TYPICAL_GROWTH = 4;
const MAX_GROWTH = 8;
/** Resources that series share if they are read together. */
interface SharedReading extends Pick<GzipReadOptions, 'inflateThreads'> {
  readonly read: ReadChunks;
  /** Maximum size of a text chunk. */
  readonly textChunk: number;
  readonly memories: LineMemories;
  readonly arrival: Arrival;
  /** Reports rows that do not belong in their file. */
  readonly warn: (message: string) => void;
}

export function createSharedReading(
  shared: Omit<SharedReading, 'read'> & { readonly open: Semaphore; readonly files: Files },
): SharedReading {
  return { ...shared, read: createChunkReader(shared.open, shared.textChunk, shared.files) };
}

/** The two buffers of one series: one is read while the other is filled. */
export function createLineBuffers(textChunk: number): LineBuffer[] {
  const bytes = TYPICAL_GROWTH * textChunk;
  return [new LineBuffer(bytes), new LineBuffer(bytes)];
}

/** Stops the reading of a file at the end of the period. */
class StopReading extends Error {}

/**
 * Writes the lines of a series, buffer by buffer. A day file is opened after the lines before it are written
 * and the file has arrived; during the wait, a buffer without lines carries the earliest possible time of the
 * next line. Books and bars continue from one day file to the next, as in one stream. Reading stops at the
 * end of the period: damage after it is not noticed.
 * @throws TickhaulError from reading and parsing: `corrupt`, also after the lines of a file of another day or
 * symbol; `unreadable`; what `swap` and `arrival` throw.
 */
export async function writeSeriesLines(
  series: ReplaySeries,
  reading: SharedReading,
  swap: SwapBuffer<LineBuffer>,
  signal: AbortSignal,
): Promise<void> {
  const { read, textChunk, inflateThreads, memories, arrival, warn } = reading;
  const { period, symbol } = series;
  let out = await swap(undefined);
  const handOver = async (minBytes: number): Promise<void> => {
    if (out.length < minBytes) return;
    out = await swap(out);
    out.clear();
    out.shrink(MAX_GROWTH * textChunk);
  };
  const lines = createTextLines({ ...series, isSelected: createSymbolTest(series) }, memories);
  for (const { path, day, isDownloading } of series.files) {
    if (isDownloading) {
      // Files are cut by local time (docs/spec/datasets-api.md#day-file), and all earlier lines have been
      // written.
      out.notBefore = day * US_PER_DAY;
      await handOver(0);
      if (!(await rejectOnAbort(arrival(path), signal))) continue;
    }
    const tally = new RowTally({ path, day, symbol });
    lines.open(tally);
    const findEnd = createPeriodEndFinder({ start: period.end, end: tally.period.end });
    let isComplete = false;
    const onText = async (text: Buffer): Promise<void> => {
      const end = findEnd(text);
      lines.push(text.subarray(0, end), out);
      await handOver(textChunk);
      isComplete = end !== undefined;
      if (isComplete) throw new StopReading();
    };
    try {
      await readSource(path, { onText, read, textChunk, inflateThreads, signal });
    } catch (error) {
      if (!(error instanceof StopReading)) throw error;
    }
    lines.end(out);
    await handOver(1);
    const finding = tally.finding();
    if (finding !== undefined) warn(finding);
    if (isComplete) return;
  }
}

function createSymbolTest({ symbols }: ReplaySeries): ((symbol: string) => boolean) | undefined {
  return symbols && ((symbol) => symbols.has(toDatasetSymbol(symbol)));
}

const LF = 10;
const QUOTE = '"';

/**
 * Creates a function that is called with a day file's text, chunk by chunk, and finds the first chunk with a
 * row at or after the period's end. Files are sorted by local time (docs/spec/datasets-api.md#day-file), so only the
 * last whole row of a chunk is checked. A row with quotes, or of another day, decides nothing.
 * @param rest the day's part after the period: microseconds of local time.
 * @returns length of the chunk up to the end of that row; undefined if the period may continue after this
 * chunk.
 */
function createPeriodEndFinder(rest: Period): (text: Buffer) => number | undefined {
  let column: number | undefined;
  return (text) => {
    column ??= findColumn(text.toString('latin1', 0, text.indexOf(LF)));
    const behind = text.lastIndexOf(LF) + 1;
    if (behind < 2) return undefined;
    const start = text.lastIndexOf(LF, behind - 2) + 1;
    const row = text.toString('latin1', start, behind - 1);
    // The first row of a chunk may be incomplete.
    if (start === 0 || row.includes(QUOTE)) return undefined;
    const time = Number(row.split(',')[column]);
    return time >= rest.start && time < rest.end ? behind : undefined;
  };
}

/** -1 if the header does not fit into the first chunk: then no row decides. */
function findColumn(header: string): number {
  return header.split(',').indexOf('local_timestamp');
}

/**
 * Multiple of the chunk size that one range request reads: each request to a store has a high latency. Two
 * such ranges of an object are in memory.
 */
const OBJECT_CHUNK_FACTOR = 4;

/**
 * Reads many files in parallel with few handles: a file is opened for each chunk and closed after it. An
 * object is read in ranges, and each range is requested while the previous one is used: an open response
 * would time out while its reader is busy.
 * @param open limits open files, or requests in flight to an object store.
 * @param chunk bytes of a file that are read at a time, which is the size of its buffer; an object uses eight
 * times as much.
 */
export function createChunkReader(open: Semaphore, chunk: number, files: Files): ReadChunks {
  return (location, use, signal) =>
    isObjectLocation(location)
      ? readObject({ open, chunk: OBJECT_CHUNK_FACTOR * chunk, files }, location, use, signal)
      : readFile(open, chunk, location, use, signal);
}

type Read = Parameters<ReadChunks>;

async function readFile(
  open: Semaphore,
  chunk: number,
  path: string,
  use: Read[1],
  signal: Read[2],
): Promise<void> {
  try {
    const { ino, size } = await stat(path);
    const buffer = Buffer.allocUnsafe(Math.min(chunk, size + 1));
    const reading: Reading = { path, ino, position: 0, hash: createHash('sha256') };
    for (;;) {
      if (signal?.aborted) throw abortReason(signal);
      const bytesRead = await open.run(() => readNext(reading, buffer));
      if (bytesRead === 0) return;
      const bytes = buffer.subarray(0, bytesRead);
      reading.position += bytesRead;
      reading.hash.update(bytes);
      await use(bytes);
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/** Reading position of a file. */
interface Reading {
  readonly path: string;
  ino: number;
  /** Bytes read so far, and their hash below. */
  position: number;
  readonly hash: Hash;
}

/**
 * Reads the next bytes of a file. A file that replaces it during the reading is accepted if it begins with
 * all bytes read so far: then the bytes read are those of the new file from its start.
 * @param buffer is overwritten.
 * @throws TickhaulError `changed`.
 */
async function readNext(reading: Reading, buffer: Buffer): Promise<number> {
  const { path, position, hash } = reading;
  const handle = await openRegular(path);
  try {
    const { ino } = await handle.stat();
    if (ino !== reading.ino && !(await beginsWith(handle, position, hash.copy().digest(), buffer))) {
      throw new TickhaulError('changed', `${path}: replaced during the run; run the same command again`);
    }
    reading.ino = ino;
    return (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
  } finally {
    await handle.close();
  }
}

/**
 * @param length size of the prefix in bytes. @param sha256 hash of the prefix. @param buffer is overwritten.
 */
async function beginsWith(
  handle: FileHandle,
  length: number,
  sha256: Buffer,
  buffer: Buffer,
): Promise<boolean> {
  const hash = createHash('sha256');
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, length - at), at);
    if (bytesRead === 0) return false;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest().equals(sha256);
}

interface RangeReadContext {
  readonly open: Semaphore;
  readonly chunk: number;
  readonly files: Files;
}

async function readObject(
  { open, chunk, files }: RangeReadContext,
  location: string,
  use: Read[1],
  signal: Read[2],
): Promise<void> {
  // Aborted when the reader stops, to cancel the range requested ahead.
  const stopped = new AbortController();
  const anyOf = signal ? AbortSignal.any([signal, stopped.signal]) : stopped.signal;
  const object = await open.run(() => files.openRandom(location, anyOf));
  const read = (position: number): Promise<Buffer> | undefined => {
    if (position >= object.bytes) return undefined;
    const pending = open.run(() => object.read(position, Math.min(chunk, object.bytes - position)));
    // The error is thrown when this range is awaited, which may never happen.
    pending.catch(() => {});
    return pending;
  };
  try {
    let position = 0;
    for (let next = read(0); next; ) {
      const bytes = await next;
      position += bytes.length;
      next = read(position);
      await use(bytes);
    }
  } finally {
    stopped.abort();
    await object.close();
  }
}
