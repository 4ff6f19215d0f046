import pLimit from 'p-limit';
import { TickhaulError } from '../../base/errors.js';
import { LARGE_TEXT_CHUNK, startGunzip, type TextSink } from '../../integrity/gunzip.js';
import { gunzipBytes } from '../../integrity/gunzip-bytes.js';
import { isLineStart } from '../read/raw-line.js';
import { gzipTextEnds } from './gzip-text-ends.js';
import { unzstd } from './unzstd.js';
import { zstdFrames } from './zstd-frames.js';

/** How a slice is compressed. */
export type Encoding = 'gzip' | 'zstd';

/** A slice that is proven whole. */
export interface SliceText {
  /** Bytes of text. */
  readonly size: number;
  /** Gives the text in chunks; a promise holds the next one back. May be called again. */
  read(use: TextSink): Promise<void>;
  /** Where in the text its gzip members or zstd frames end, in bytes; none where that can't be seen. */
  ends(): readonly number[];
}

/** Bytes of text that are kept of a slice that is read next. */
export const MOST_KEPT = 48 * 1024 * 1024;
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
 * @param mostKept bytes of text that are kept; a larger slice is decompressed a second time when it is read.
 * @throws TickhaulError `corrupt` for what is no whole gzip file or zstd stream, ends within a line, or doesn't begin
 * as lines of the raw data API do.
 */
export function unpackSlice(bytes: Buffer, encoding: Encoding, mostKept: number): Promise<SliceText> {
  const isSmall = encoding === 'gzip' && bytes.length <= SMALL_SLICE;
  return isSmall ? unpack(bytes, encoding, mostKept) : decompressing(() => unpack(bytes, encoding, mostKept));
}

async function unpack(bytes: Buffer, encoding: Encoding, mostKept: number): Promise<SliceText> {
  let kept: Buffer[] | undefined = [];
  let size = 0;
  let last = LF;
  let head: Buffer = Buffer.alloc(0);
  const frameEnds: number[] = [];
  const onText = (text: Buffer): void => {
    if (text.length === 0) return;
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, text.subarray(0, HEAD_BYTES)]);
    size += text.length;
    last = text[text.length - 1] as number;
    if (size > mostKept) kept = undefined;
    kept?.push(text);
  };
  await decompress(bytes, encoding, onText, () => frameEnds.push(size));
  if (last !== LF) throw new TickhaulError('corrupt', 'the slice ends within a line');
  checkHead(head);
  const texts = kept;
  return {
    size,
    async read(use) {
      if (!texts) return decompress(bytes, encoding, use);
      for (const text of texts) await use(text);
    },
    ends: () => (encoding === 'zstd' ? frameEnds : gzipTextEnds(bytes, size)),
  };
}

async function decompress(
  bytes: Buffer,
  encoding: Encoding,
  onText: TextSink,
  onFrameEnd?: () => void,
): Promise<void> {
  if (encoding === 'zstd') {
    for (const frame of zstdFrames(bytes)) {
      await unzstd(frame, onText);
      onFrameEnd?.();
    }
    return;
  }
  const text = bytes.length <= SMALL_SLICE ? gunzipBytes(bytes, SMALL_TEXT) : undefined;
  if (text) {
    await onText(text);
    return;
  }
  const pass = startGunzip(onText, chunkFor(bytes));
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
