import { type BytesFacts, Checksums, type HashName, hashBytes } from './checksums.js';
import { countLines, linesToRows } from './count-lines.js';
import { type GunzipPass, gunzipBytes, startGunzip, type TextSink } from './gunzip.js';
import { type GzipReadOptions, readGzip } from './read-source.js';

/** Size, checksums and rows of a day file. */
export type FileChecksums = BytesFacts<HashName> & RowCount;

interface RowCount {
  /** Rows, without the header. */
  readonly rows: number;
}

/** The checksums of a record, in the order of `FileChecksums`. */
export const ALL_HASHES: readonly HashName[] = ['md5', 'sha256'];

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

export interface FileVerificationOptions
  extends VerificationOptions,
    Pick<GzipReadOptions, 'read' | 'inflateThreads' | 'signal'> {
  /** Receives the number of compressed bytes of each chunk. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Verifies the bytes of a day file in one pass. Call it like a `GunzipPass`. */
export interface VerificationPass extends Omit<GunzipPass, 'finish'> {
  finish(): Promise<FileChecksums>;
}

/** Checks a text that arrives in chunks, counts its rows and passes it on. */
class CheckedText {
  readonly #options: VerificationOptions;
  #lines = 0;
  #lastByte: number | undefined;

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  push(text: Buffer): ReturnType<TextSink> {
    this.#lines += countLines(text);
    this.#lastByte = text[text.length - 1];
    this.#options.check?.push(text);
    return this.#options.onText?.(text);
  }

  end(): RowCount {
    this.#options.check?.end();
    return { rows: linesToRows(this.#lines, this.#lastByte) };
  }
}

/** Verifies bytes that arrive in chunks of any size, while zlib inflates them in its own thread. */
export function startVerification(options: VerificationOptions = {}): VerificationPass {
  const checksums = new Checksums(ALL_HASHES);
  const checked = new CheckedText(options);
  const gunzip = startGunzip((text) => checked.push(text));
  return {
    async write(chunk) {
      // Decompression runs in zlib's thread while this thread computes the checksums.
      const used = gunzip.write(chunk);
      checksums.add(chunk);
      await used;
    },
    async finish() {
      await gunzip.finish();
      const rows = checked.end();
      return { ...checksums.finish(), ...rows };
    },
    destroy: () => gunzip.destroy(),
  };
}

/**
 * Verifies a file on disk, or with `read` elsewhere.
 * @throws TickhaulError `corrupt` if it is not a complete gzip file, `disk` if it cannot be read.
 */
export async function verifyFile(
  path: string,
  { onBytes, read, inflateThreads, signal, ...options }: FileVerificationOptions = {},
): Promise<FileChecksums> {
  const checked = new CheckedText(options);
  const facts = await readGzip(path, {
    hashes: ALL_HASHES,
    onChunk: (chunk) => onBytes?.(chunk.length),
    onText: (text) => checked.push(text),
    read,
    inflateThreads,
    signal,
  });
  return { ...facts, ...checked.end() };
}

/** Maximum size of a text that is gunzipped at once. */
const MAX_TEXT_BYTES = 64_000_000;

/**
 * Verifies a small day file in memory at once, which is faster than streams.
 * @param hashes the checksums to compute, by default all.
 * @returns undefined if the text is too large for this.
 * @throws TickhaulError `corrupt`, like `verifyFile`; what the check throws.
 */
export function verifyBytes<Name extends HashName = HashName>(
  bytes: Buffer,
  {
    hashes = ALL_HASHES as readonly Name[],
    check,
  }: { readonly hashes?: readonly Name[]; readonly check?: TextCheck | undefined } = {},
): (BytesFacts<Name> & RowCount) | undefined {
  const text = gunzipBytes(bytes, MAX_TEXT_BYTES);
  if (text === undefined) return undefined;
  check?.push(text);
  check?.end();
  return { ...hashBytes(bytes, hashes), rows: linesToRows(countLines(text), text[text.length - 1]) };
}
