import { createHash } from 'node:crypto';
import { countLines, linesToRows } from './count-lines.js';
import {
  type GunzipPass,
  gunzipBytes,
  LARGE_TEXT_CHUNK_BYTES,
  startGunzip,
  type TextSink,
} from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';
import { type GzipReader, readGzip } from './read-gzip.js';

/** Size, checksums and rows of a day file. */
export interface FileChecksums {
  readonly bytes: number;
  /** Hex digits. */
  readonly md5: string;
  readonly sha256: string;
  /** Rows, without the header. */
  readonly rows: number;
}

/** A check of a file's text. */
export interface TextCheck {
  /** Takes the next text, which may be overwritten afterwards. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void;
  /** Ends the text. Throws as `push` does. */
  end(): void;
}

export interface VerificationOptions {
  /** Sees the text before `onText`. */
  readonly check?: TextCheck | undefined;
  /** Receives the gunzipped text, which stays valid until the returned promise resolves. */
  readonly onText?: TextSink | undefined;
}

export interface FileVerificationOptions extends VerificationOptions {
  /** Receives the number of compressed bytes of each chunk. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads the bytes. */
  readonly read?: ReadChunks | undefined;
  /** How the file is inflated, as in `GzipReadOptions`. */
  readonly inflateThreads?: number | undefined;
}

/** Verifies the bytes of a day file in one pass. Call it like a `GunzipPass`. */
export interface VerificationPass extends Omit<GunzipPass, 'finish'> {
  finish(): Promise<FileChecksums>;
}

/** Computes the checksums of a file from its bytes and its text. */
class ChecksumPass {
  readonly #md5 = createHash('md5');
  readonly #sha256 = createHash('sha256');
  #bytes = 0;
  #lines = 0;
  #lastByte: number | undefined;

  addBytes(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#md5.update(chunk);
    this.#sha256.update(chunk);
  }

  addText(text: Buffer): void {
    this.#lines += countLines(text);
    this.#lastByte = text[text.length - 1];
  }

  finish(): FileChecksums {
    return {
      bytes: this.#bytes,
      md5: this.#md5.digest('hex'),
      sha256: this.#sha256.digest('hex'),
      rows: linesToRows(this.#lines, this.#lastByte),
    };
  }
}

/** Verifies bytes that arrive in chunks of any size, while zlib inflates them in its own thread. */
export function startVerification({ check, onText }: VerificationOptions = {}): VerificationPass {
  const checksums = new ChecksumPass();
  const gunzip = startGunzip((text) => {
    checksums.addText(text);
    check?.push(text);
    return onText?.(text);
  });
  return {
    async write(chunk) {
      // Decompression runs in zlib's thread while this thread computes the checksums.
      const used = gunzip.write(chunk);
      checksums.addBytes(chunk);
      await used;
    },
    async finish() {
      await gunzip.finish();
      check?.end();
      return checksums.finish();
    },
    destroy: () => gunzip.destroy(),
  };
}

/**
 * Verifies a file on disk.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file, `disk` if it cannot be read.
 */
export async function verifyFile(
  path: string,
  signal?: AbortSignal,
  { check, onText, onBytes, read = readChunks, inflateThreads }: FileVerificationOptions = {},
): Promise<FileChecksums> {
  const checksums = new ChecksumPass();
  const reader: GzipReader = {
    onBytes: (chunk) => {
      onBytes?.(chunk.length);
      checksums.addBytes(chunk);
    },
    onText: (text) => {
      checksums.addText(text);
      check?.push(text);
      return onText?.(text);
    },
  };
  await readGzip(path, reader, signal, { read, textChunk: LARGE_TEXT_CHUNK_BYTES, inflateThreads });
  check?.end();
  return checksums.finish();
}

/** Maximum size of a text that is gunzipped at once. */
const MAX_TEXT_BYTES = 64_000_000;

/**
 * Verifies a small day file in memory at once, which is faster than streams.
 * @returns undefined if the text is too large for this.
 * @throws TickhaulError `corrupt`, like `verifyFile`; what the check throws.
 */
export function verifyBytes(bytes: Buffer, check?: TextCheck): FileChecksums | undefined {
  const checksums = verifyBytesWithoutMd5(bytes, check);
  return checksums && { ...checksums, md5: createHash('md5').update(bytes).digest('hex') };
}

/** Like `verifyBytes`, but without the md5, for comparisons that need only one checksum. */
export function verifyBytesWithoutMd5(
  bytes: Buffer,
  check?: TextCheck,
): Omit<FileChecksums, 'md5'> | undefined {
  const text = gunzipBytes(bytes, MAX_TEXT_BYTES);
  if (text === undefined) return undefined;
  check?.push(text);
  check?.end();
  return {
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    rows: linesToRows(countLines(text), text[text.length - 1]),
  };
}
