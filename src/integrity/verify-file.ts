import { createHash } from 'node:crypto';
import { countLines, linesToRows } from './count-lines.js';
import { type GunzipPass, startGunzip, type TextSink } from './gunzip.js';
import { type ReadChunks, readChunks } from './read-chunks.js';

/** What one pass over a day file's bytes found. */
export interface FileChecksums {
  readonly bytes: number;
  /** Hex digits. */
  readonly md5: string;
  readonly sha256: string;
  /** Rows, the header not counted. */
  readonly rows: number;
}

export interface VerificationOptions {
  /** Is given the gunzipped text too. */
  readonly onText?: TextSink | undefined;
  /** Bytes of text that come at once, at most. */
  readonly textChunk?: number | undefined;
  /** Told of compressed bytes as they are read; by `verifyFile` only. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** How the bytes are read; by `verifyFile` only. */
  readonly read?: ReadChunks | undefined;
}

/** One pass over the bytes of a day file; see `GunzipPass` for how to call it. */
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
      // The decompressor works in a thread of its own while this one hashes.
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
 * Proves a file on disk.
 * @throws TickhaulError `createCorruptError` when it isn't a whole gzip file, `disk` when it can't be read.
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
