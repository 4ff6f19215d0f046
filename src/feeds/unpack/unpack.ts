import pLimit from 'p-limit';
import { TickhaulError } from '../../base/errors.js';
import { LARGE_TEXT_CHUNK, startGunzip, type TextSink } from '../../integrity/gunzip.js';
import { gunzipBytes } from '../../integrity/gunzip-bytes.js';
import { isLineStart } from '../read/raw-line.js';
import { unzstd } from './unzstd.js';
import { zstdFrames } from './zstd-frames.js';

/** How a slice is compressed. */
export type Encoding = 'gzip' | 'zstd';

/** A slice that is proven whole. */
export interface SliceText {
  /** Bytes of text. */
  readonly size: number;
  /** Whether the text is in memory; else it is decompressed once more when it is read. */
  readonly isKept: boolean;
  /** Gives the text in chunks; a promise holds the next one back. May be called again. */
  read(use: TextSink): Promise<void>;
}

/** Asked for each chunk of text whether the slice may keep it too, in memory: once that is refused, it keeps none. */
export type Keep = (bytes: number) => boolean;

/** Bytes of a slice, and of its text, up to which it is decompressed in one piece. */
const SMALL_SLICE = 32 * 1024;
const SMALL_TEXT = 1024 * 1024;
/** Bytes of text that come in one piece, where a slice says that it has no more. */
const MOST_AT_ONCE = 16 * 1024 * 1024;
/** A buffer for the text of a slice that isn't large holds so much more than it has compressed bytes. */
const SMALL_TEXT_CHUNK = 64 * 1024;
/** As many at once as zlib has threads. */
const decompressing = pLimit(4);

const LF = 0x0a;

/**
 * Decompresses a slice to its end, all of its members or frames, before any of it can be read: what is wrong at the end
 * must not show after the beginning was given away.
 * @param keep says how much text is kept; a larger slice is decompressed a second time when it is read.
 * @param chunk bytes of text that are in memory at once of what isn't kept, while it is read.
 * @throws TickhaulError `corrupt` for what is no whole gzip file or zstd stream, ends within a line, or doesn't begin
 * as lines of the raw data API do.
 */
export function unpackSlice(
  bytes: Buffer,
  encoding: Encoding,
  keep: Keep,
  chunk = LARGE_TEXT_CHUNK,
): Promise<SliceText> {
  const isSmall = encoding === 'gzip' && bytes.length <= SMALL_SLICE;
  const work = (): Promise<SliceText> => unpack(bytes, encoding, keep, chunk);
  return isSmall ? work() : decompressing(work);
}

/** Keeps texts up to so many bytes. */
export function keepUpTo(most: number): Keep {
  let left = most;
  return (bytes) => {
    left -= bytes;
    return left >= 0;
  };
}

async function unpack(bytes: Buffer, encoding: Encoding, keep: Keep, chunk: number): Promise<SliceText> {
  let kept: Buffer[] | undefined = [];
  let size = 0;
  let last = LF;
  let head: Buffer = Buffer.alloc(0);
  await decompress(bytes, encoding, (text) => {
    if (text.length === 0) return;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, text.subarray(0, HEAD_BYTES)]);
    size += text.length;
    last = text[text.length - 1] as number;
    if (kept && keep(text.length)) kept.push(text);
    else kept = undefined;
  });
  if (last !== LF) throw new TickhaulError('corrupt', 'the slice ends within a line');
  checkHead(head);
  return kept ? keptText(kept, size) : packedText(bytes, encoding, size, chunk);
}

/** A function of its own, so that the compressed bytes aren't held. */
function keptText(texts: readonly Buffer[], size: number): SliceText {
  return {
    size,
    isKept: true,
    async read(use) {
      for (const text of texts) await use(text);
    },
  };
}

function packedText(bytes: Buffer, encoding: Encoding, size: number, chunk: number): SliceText {
  return { size, isKept: false, read: (use) => decompressStream(bytes, encoding, use, chunk) };
}

async function decompress(bytes: Buffer, encoding: Encoding, onText: TextSink): Promise<void> {
  const text =
    encoding === 'gzip' && bytes.length <= SMALL_SLICE ? gunzipBytes(bytes, SMALL_TEXT) : undefined;
  if (text) {
    await onText(text);
    return;
  }
  await decompressStream(bytes, encoding, onText, encoding === 'gzip' ? chunkFor(bytes) : LARGE_TEXT_CHUNK);
}

async function decompressStream(
  bytes: Buffer,
  encoding: Encoding,
  onText: TextSink,
  chunk: number,
): Promise<void> {
  if (encoding === 'zstd') {
    for (const frame of zstdFrames(bytes)) await unzstd(frame, onText, chunk);
    return;
  }
  const pass = startGunzip(onText, chunk);
  try {
    await pass.write(bytes);
    await pass.finish();
  } finally {
    pass.destroy();
  }
}

/**
 * Bytes of text at once. Most slices are one member, which says at its end how long its text is (RFC 1952, section
 * 2.3.1): in one piece, it is decompressed without this thread, and no line is cut in two.
 */
function chunkFor(bytes: Buffer): number {
  const length = bytes.readUInt32LE(bytes.length - 4);
  const usual = Math.min(LARGE_TEXT_CHUNK, SMALL_TEXT_CHUNK + bytes.length);
  return length < MOST_AT_ONCE ? Math.max(length + 1, usual) : usual;
}

/** Enough to see the first line's beginning. */
const HEAD_BYTES = 256;

/** An error page in gzip, or a file of another kind, is whole too. */
function checkHead(head: Buffer): void {
  const start = head.findIndex((byte) => byte !== LF);
  if (start < 0 || start + 29 > head.length || isLineStart(head, start)) return;
  const found = JSON.stringify(head.toString('latin1', start, start + 40).replace(/[^ -~]+/g, '.'));
  throw new TickhaulError('corrupt', `expected lines that begin with a local timestamp, found ${found}`);
}
