import { availableParallelism } from 'node:os';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { TickhaulError } from '../../base/errors.js';
import { freeMemory } from '../../base/memory.js';
import { Semaphore } from '../../base/semaphore.js';
import { plural } from '../../base/units.js';
import { ZstdFrames } from '../../format/decompress.js';
import { gunzipBytes, LARGE_TEXT_CHUNK_BYTES, startGunzip, type TextSink } from '../../gzip/gunzip.js';
import { isLineStart } from '../raw-batch.js';

/** Compression of a slice. */
export type SliceEncoding = 'gzip' | 'zstd';

/** Text of a slice that was decompressed to its end. */
export interface SliceText {
  /** Bytes of text. */
  readonly size: number;
  /** Whether the text is in memory; otherwise it is decompressed again when it is read. */
  readonly isKept: boolean;
  /** Reads the text in chunks; a returned promise delays the next chunk. Can be called again. */
  read(use: TextSink): Promise<void>;
  /** Frees the memory of the text, which must not be used afterwards. */
  free(): void;
  /** Positions in the text at which gzip members or zstd frames end, in bytes; empty if unknown. */
  ends(): readonly number[];
}

/** Returns whether a chunk of text may be kept in memory. After one refusal, no text of the slice is kept. */
export type Keep = (bytes: number) => boolean;

/** Maximum size of a slice, and below of its text, for decompression in one call. */
const SMALL_SLICE_BYTES = 32 * 1024;
const SMALL_TEXT_BYTES = 1024 * 1024;
/** Maximum text in one chunk if the slice announces the size of its text. */
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;
/** The output buffer of a slice has the size of its compressed bytes plus this. */
const SMALL_TEXT_CHUNK_BYTES = 64 * 1024;
/** One for each of Node's threads that run zlib, which the command has set (bin/tickhaul.cts). */
const decompressions = new Semaphore(Math.max(4, availableParallelism()));

const LF = 0x0a;

/**
 * Decompresses a slice to its end, with all members or frames, before its text can be read: damage at the end
 * must be found before the beginning is used.
 * @param keep decides whether the text is kept in memory; otherwise it is decompressed again when it is read.
 * @param chunkBytes maximum text in one chunk while text that is not kept is read.
 * @throws TickhaulError `corrupt` for an incomplete gzip file or zstd stream, for text that ends within a
 * line, or that does not begin with a line of the raw feeds API.
 */
export function unpackSlice(
  bytes: Buffer,
  encoding: SliceEncoding,
  keep: Keep,
  chunkBytes = LARGE_TEXT_CHUNK_BYTES,
): Promise<SliceText> {
  const isSmall = encoding === 'gzip' && bytes.length <= SMALL_SLICE_BYTES;
  const work = (): Promise<SliceText> => unpack(bytes, encoding, keep, chunkBytes);
  return isSmall ? work() : decompressions.run(work);
}

/** Creates a `Keep` that allows bytes up to a maximum. */
export function keepUpTo(maxBytes: number): Keep {
  let left = maxBytes;
  return (bytes) => {
    left -= bytes;
    return left >= 0;
  };
}

async function unpack(
  bytes: Buffer,
  encoding: SliceEncoding,
  keep: Keep,
  chunkBytes: number,
): Promise<SliceText> {
  // The compressed bytes are kept with the text, since they show where it ends.
  let keptTexts: Buffer[] | undefined = keep(bytes.length) ? [] : undefined;
  let size = 0;
  let last = LF;
  let head: Buffer = Buffer.alloc(0);
  const frameEnds: number[] = [];
  const onText = (text: Buffer): void => {
    if (text.length === 0) return;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, text.subarray(0, HEAD_BYTES)]);
    size += text.length;
    last = text[text.length - 1] as number;
    if (keptTexts && keep(text.length)) keptTexts.push(text);
    else keptTexts = undefined;
  };
  await decompress(bytes, encoding, onText, () => frameEnds.push(size));
  if (last !== LF) throw new TickhaulError('corrupt', 'the slice ends within a line');
  assertSliceStart(head);
  const texts = keptTexts;
  return {
    size,
    isKept: texts !== undefined,
    async read(use) {
      if (!texts) return decompressStream(bytes, encoding, use, chunkBytes);
      for (const text of texts) await use(text);
    },
    free: () => freeMemory(texts ?? []),
    ends: () => (encoding === 'zstd' ? frameEnds : findGzipTextEnds(bytes, size)),
  };
}

async function decompress(
  bytes: Buffer,
  encoding: SliceEncoding,
  onText: TextSink,
  onFrameEnd: () => void,
): Promise<void> {
  const text =
    encoding === 'gzip' && bytes.length <= SMALL_SLICE_BYTES
      ? gunzipBytes(bytes, SMALL_TEXT_BYTES)
      : undefined;
  if (text) {
    await onText(text);
    return;
  }
  const chunkBytes = encoding === 'gzip' ? chooseChunkBytes(bytes) : LARGE_TEXT_CHUNK_BYTES;
  await decompressStream(bytes, encoding, onText, chunkBytes, onFrameEnd);
}

async function decompressStream(
  bytes: Buffer,
  encoding: SliceEncoding,
  onText: TextSink,
  chunkBytes: number,
  onFrameEnd?: () => void,
): Promise<void> {
  if (encoding === 'zstd') {
    for (const frame of splitZstdFrames(bytes)) {
      await unzstd(frame, onText, chunkBytes);
      onFrameEnd?.();
    }
    return;
  }
  const pass = startGunzip(onText, chunkBytes);
  try {
    await pass.write(bytes);
    await pass.finish();
  } finally {
    await pass.destroy();
  }
}

/**
 * Chooses the chunk size of the text. Most slices are one member, which announces the length of its text at
 * its end (RFC 1952, section 2.3.1). In one chunk it is decompressed without this thread, and no line is
 * split.
 */
function chooseChunkBytes(bytes: Buffer): number {
  const length = bytes.readUInt32LE(bytes.length - 4);
  const usual = Math.min(LARGE_TEXT_CHUNK_BYTES, SMALL_TEXT_CHUNK_BYTES + bytes.length);
  return length < MAX_CHUNK_BYTES ? Math.max(length + 1, usual) : usual;
}

/** Enough for the start of the first line. */
const HEAD_BYTES = 256;

/** A gzip-compressed error page, or another kind of file, decompresses without an error. */
function assertSliceStart(head: Buffer): void {
  const start = head.findIndex((byte) => byte !== LF);
  if (start < 0 || start + 29 > head.length || isLineStart(head, start)) return;
  const found = JSON.stringify(head.toString('latin1', start, start + 40).replace(/[^ -~]+/g, '.'));
  throw new TickhaulError('corrupt', `expected lines that begin with a local timestamp, found ${found}`);
}

/** Size of the shortest member: header, empty block, checksum and length (RFC 1952, section 2.3). */
const MIN_MEMBER_BYTES = 20;
/** Bytes of a header before the time, which may differ between members. */
const HEADER_BYTES = 4;

/**
 * Finds the positions in the text of a whole gzip file at which its members end, in bytes, without
 * decompressing it: each member ends with the length of its text, and the next one begins like the first.
 * @param textSize bytes of the text.
 * @returns an empty array if the lengths do not add up to `textSize`, since compressed bytes can look like a
 * header.
 */
function findGzipTextEnds(bytes: Buffer, textSize: number): readonly number[] {
  const header = bytes.subarray(0, HEADER_BYTES);
  const ends: number[] = [];
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = bytes.indexOf(header, at + MIN_MEMBER_BYTES);
    at = next < 0 ? bytes.length : next;
    end += bytes.readUInt32LE(at - 4);
    ends.push(end);
  }
  return end === textSize ? ends : [];
}

/**
 * Splits a zstd stream into its frames, without skippable ones (RFC 8878, section 3.1). Decoders read a
 * single frame; Node's own stops after the first.
 * @throws TickhaulError `corrupt` for an incomplete stream.
 */
export function splitZstdFrames(bytes: Buffer): readonly Buffer[] {
  if (bytes.length === 0) throw new TickhaulError('corrupt', 'empty body');
  const frames: Buffer[] = [];
  const headers = new ZstdFrames((start, end) => frames.push(bytes.subarray(start, end)));
  try {
    headers.push(bytes);
  } catch (error) {
    throw toCorruptError(error);
  }
  if (!headers.isComplete)
    throw new TickhaulError('corrupt', `the zstd stream ends early after ${plural(bytes.length, 'byte')}`);
  return frames;
}

/** Compressed bytes for one call of the portable decoder, so that it returns text regularly. */
const PIECE_BYTES = 128 * 1024;

/** Node has zstd from 22.15 on; the type declarations are those of Node 20. */
interface NativeZstd {
  readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
}

const { createZstdDecompress } = zlib as NativeZstd;

/** Whether Node decompresses zstd itself; otherwise gzip is faster. */
export const HAS_ZSTD = createZstdDecompress !== undefined;

/**
 * Decompresses one whole zstd frame.
 * @param chunkBytes maximum text in one chunk of Node's decoder.
 * @throws TickhaulError `corrupt`, and what `onText` throws.
 */
async function unzstd(frame: Buffer, onText: TextSink, chunkBytes: number): Promise<void> {
  for await (const text of createZstdDecompress
    ? decompressNative(createZstdDecompress, frame, chunkBytes)
    : decompressPortable(frame)) {
    await onText(text);
  }
}

async function* decompressNative(
  create: NonNullable<NativeZstd['createZstdDecompress']>,
  frame: Buffer,
  chunkBytes: number,
): AsyncGenerator<Buffer> {
  const stream = create({ chunkSize: chunkBytes });
  stream.end(frame);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw toCorruptError(error);
  }
}

/** Does not verify zstd checksums. */
function* decompressPortable(frame: Buffer): Generator<Buffer> {
  const texts: Buffer[] = [];
  const decoder = new Decompress((text) => {
    texts.push(Buffer.from(text.buffer, text.byteOffset, text.length));
  });
  for (let at = 0; at < frame.length; at += PIECE_BYTES) {
    try {
      // The decoder keeps its input and may overwrite it.
      decoder.push(Uint8Array.from(frame.subarray(at, at + PIECE_BYTES)), at + PIECE_BYTES >= frame.length);
    } catch (error) {
      throw toCorruptError(error);
    }
    yield* texts.splice(0);
  }
}

function toCorruptError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof TickhaulError) return cause;
  return new TickhaulError('corrupt', `damaged zstd stream: ${cause.message}`, { cause });
}
