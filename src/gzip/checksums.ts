import { createHash, type Hash, hash } from 'node:crypto';
import { type ReadChunks, readChunks } from '../base/disk-files.js';

export type HashName = 'md5' | 'sha256';

/** Size of a file, and its checksums in hex digits. */
export type BytesFacts<Name extends HashName = never> = { readonly bytes: number } & {
  readonly [name in Name]: string;
};

/** Counts bytes that arrive in chunks, and computes their checksums. */
export class Checksums<Name extends HashName> {
  #bytes = 0;
  readonly #hashes: readonly (readonly [Name, Hash])[];

  constructor(names: readonly Name[]) {
    this.#hashes = names.map((name) => [name, createHash(name)]);
  }

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (const [, hash] of this.#hashes) hash.update(chunk);
  }

  /** Call it once. */
  finish(): BytesFacts<Name> {
    const checksums = this.#hashes.map(([name, hash]) => [name, hash.digest('hex')]);
    return { bytes: this.#bytes, ...Object.fromEntries(checksums) } as BytesFacts<Name>;
  }
}

/** The size and checksums of bytes in memory: for a small file, cheaper than `Checksums`. */
export function hashBytes<Name extends HashName>(bytes: Buffer, names: readonly Name[]): BytesFacts<Name> {
  const facts: Record<string, number | string> = { bytes: bytes.length };
  for (const name of names) facts[name] = hash(name, bytes, 'hex');
  return facts as BytesFacts<Name>;
}

/**
 * The checksum of a file, in hex digits.
 * @param read reads the file. @throws TickhaulError `disk`, and what `read` throws.
 */
export async function hashFile(
  path: string,
  name: HashName,
  {
    read = readChunks,
    signal,
  }: { readonly read?: ReadChunks; readonly signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const checksums = new Checksums([name]);
  await read(path, async (chunk) => checksums.add(chunk), signal);
  return checksums.finish()[name];
}
