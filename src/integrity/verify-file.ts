import { createHash } from 'node:crypto';
import { countLines, linesToRows } from './count-lines.js';
import { type GunzipPass, startGunzip, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** Size, checksums and rows of a day file. */
export interface FileChecksums {
  readonly bytes: number;
  /** Hex digits. */
  readonly md5: string;
  readonly sha256: string;
  /** Rows, without the header. */
  readonly rows: number;
}

export interface VerificationOptions {
  /** Receives the gunzipped text. */
  readonly onText?: TextSink | undefined;
  /** Maximum size of a text chunk. */
  readonly textChunk?: number | undefined;
  /** Receives the number of compressed bytes of each chunk; used only by `verifyFile`. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads the bytes; used only by `verifyFile`. */
  readonly read?: ReadChunks | undefined;
}

/** Verifies the bytes of a day file in one pass. Call it like a `GunzipPass`. */
export interface VerificationPass extends Omit<GunzipPass, 'finish'> {
  finish(): Promise<FileChecksums>;
}

export function startVerification({ onText, textChunk }: VerificationOptions = {}): VerificationPass {
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  let last: number | undefined;
  const gunzip = startGunzip((text) => {
    lines += countLines(text);
    last = text[text.length - 1];
    return onText?.(text);
  }, textChunk);
  return {
    async write(chunk) {
      bytes += chunk.length;
      // Decompression runs in zlib's thread while this thread computes the checksums.
      const used = gunzip.write(chunk);
      md5.update(chunk);
      sha256.update(chunk);
      await used;
    },
    async finish() {
      await gunzip.finish();
      return {
        bytes,
        md5: md5.digest('hex'),
        sha256: sha256.digest('hex'),
        rows: linesToRows(lines, last),
      };
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
  options?: VerificationOptions,
): Promise<FileChecksums> {
  const pass = startVerification(options);
  try {
    const read = options?.read ?? readChunks;
    await read(
      path,
      (chunk) => {
        options?.onBytes?.(chunk.length);
        return pass.write(chunk);
      },
      signal,
    );
    return await pass.finish();
  } finally {
    await pass.destroy();
  }
}
