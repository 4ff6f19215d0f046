import pLimit from 'p-limit';
import { TickhaulError } from '../../base/errors.js';
import { LARGE_TEXT_CHUNK_BYTES, startGunzip, type TextSink } from '../../integrity/gunzip.js';
import { gunzipBytes } from '../../integrity/gunzip-bytes.js';
import { isLineStart } from '../read/raw-line.js';
import { gzipTextEnds } from './gzip-text-ends.js';
import { unzstd } from './unzstd.js';
import { splitZstdFrames } from './zstd-frames.js';

/** How a slice is compressed. */
export type SliceEncoding = 'gzip' | 'zstd';

/** A slice that is proven whole. */
export interface SliceText {
  /** Bytes of text. */
  readonly size: number;
  /** Whether the text is in memory; else it is decompressed once more when it is read. */
  readonly isKept: boolean;
  /** Gives the text in chunks; a promise holds the next one back. May be called again. */
  read(use: TextSink): Promise<void>;
  /** Where in the text its gzip members or zstd frames end, in bytes; none where that can't be seen. */
  ends(): readonly number[];
}

/** Asked for each chunk of text whether the slice may keep it too, in memory: once that is refused, it keeps none. */
export type Keep = (bytes: number) => boolean;

/** Bytes of a slice, and of its text, up to which it is decompressed in one piece. */
const SMALL_SLICE_BYTES = 32 * 1024;
const SMALL_TEXT_BYTES = 1024 * 1024;
/** Bytes of text that come in one piece, where a slice says that it has no more. */
const MAX_CHUNK_BYTES = 16 * 1024 * 1024;
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
 * @throws TickhaulError `createCorruptError` for what is no whole gzip file or zstd stream, ends within a line, or doesn't begin
 * as lines of the raw data API do.
 */
export function unpackSlice(
  bytes: Buffer,
  encoding: SliceEncoding,
  keep: Keep,
  chunk = LARGE_TEXT_CHUNK_BYTES,
): Promise<SliceText> {
  const isSmall = encoding === 'gzip' && bytes.length <= SMALL_SLICE_BYTES;
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

async function unpack(bytes: Buffer, encoding: SliceEncoding, keep: Keep, chunk: number): Promise<SliceText> {
  // The compressed bytes are kept with the text, since they show where it ends.
  let kept: Buffer[] | undefined = keep(bytes.length) ? [] : undefined;
  let size = 0;
  let last = LF;
  let head: Buffer = Buffer.alloc(0);
  const frameEnds: number[] = [];
  const onText = (text: Buffer): void => {
    if (text.length === 0) return;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, text.subarray(0, HEAD_BYTES)]);
    size += text.length;
    last = text[text.length - 1] as number;
    if (kept && keep(text.length)) kept.push(text);
    else kept = undefined;
  };
  await decompress(bytes, encoding, onText, () => frameEnds.push(size));
  if (last !== LF) throw new TickhaulError('corrupt', 'the slice ends within a line');
  assertSliceStart(head);
  const texts = kept;
  return {
    size,
    isKept: texts !== undefined,
    async read(use) {
      if (!texts) return decompressStream(bytes, encoding, use, chunk);
      for (const text of texts) await use(text);
    },
    ends: () => (encoding === 'zstd' ? frameEnds : gzipTextEnds(bytes, size)),
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
  const chunk = encoding === 'gzip' ? chooseChunkBytes(bytes) : LARGE_TEXT_CHUNK_BYTES;
  await decompressStream(bytes, encoding, onText, chunk, onFrameEnd);
}

async function decompressStream(
  bytes: Buffer,
  encoding: SliceEncoding,
  onText: TextSink,
  chunk: number,
  onFrameEnd?: () => void,
): Promise<void> {
  if (encoding === 'zstd') {
    for (const frame of splitZstdFrames(bytes)) {
      await unzstd(frame, onText, chunk);
      onFrameEnd?.();
    }
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
function chooseChunkBytes(bytes: Buffer): number {
  const length = bytes.readUInt32LE(bytes.length - 4);
  const usual = Math.min(LARGE_TEXT_CHUNK_BYTES, SMALL_TEXT_CHUNK + bytes.length);
  return length < MAX_CHUNK_BYTES ? Math.max(length + 1, usual) : usual;
}

/** Enough to see the first line's beginning. */
const HEAD_BYTES = 256;

/** An error page in gzip, or a file of another kind, is whole too. */
function assertSliceStart(head: Buffer): void {
  const start = head.findIndex((byte) => byte !== LF);
  if (start < 0 || start + 29 > head.length || isLineStart(head, start)) return;
  const found = JSON.stringify(head.toString('latin1', start, start + 40).replace(/[^ -~]+/g, '.'));
  throw new TickhaulError('corrupt', `expected lines that begin with a local timestamp, found ${found}`);
}
