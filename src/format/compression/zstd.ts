import zlib from 'node:zlib';
import { createOwnMemory } from '../../base/wasm.js';
import type { Compress } from './compress.js';

const ZSTD_LEVEL = { fast: 1, small: 2 } as const;

/** Node has zstd since 22.15; the types are those of Node 20. */
interface NativeZstd {
  readonly zstdCompressSync?: (
    bytes: Uint8Array,
    options: { params: Readonly<Record<number, number>> },
  ) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

/**
 * Loads Zstandard (RFC 8878): Node's if it has it, otherwise WebAssembly, which takes about twice the time.
 */
export async function loadZstd(): Promise<Compress> {
  return nativeZstd(zlib as NativeZstd) ?? (await wasmZstd());
}

function nativeZstd({ zstdCompressSync, constants }: NativeZstd): Compress | undefined {
  const level = constants.ZSTD_c_compressionLevel;
  if (!zstdCompressSync || level === undefined) return undefined;
  return (bytes, effort) => zstdCompressSync(bytes, { params: { [level]: ZSTD_LEVEL[effort] } });
}

/** Longer than the start of the package, even on a busy machine. */
const START_MS = 2000;

/**
 * The start of the package never ends if its memory cannot be allocated, so check now and then whether any can.
 * @throws TickhaulError `disk` if none can.
 */
async function rejectWithoutMemory(started: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      try {
        createOwnMemory();
      } catch (error) {
        reject(error);
      }
    }, START_MS);
  });
  await Promise.race([started, failed]).finally(() => clearInterval(timer));
}

const NO_DICTIONARY = new Uint8Array(0);

let wasm: Promise<Compress> | undefined;

/** Loaded once per thread: a second `init` would replace the memory that the first one uses. */
function wasmZstd(): Promise<Compress> {
  wasm ??= import('@bokuweb/zstd-wasm').then(async ({ compressUsingDict, createCCtx, init }) => {
    await rejectWithoutMemory(init());
    // Creating a context takes longer than compressing a small page.
    const context = createCCtx();
    return (bytes, effort) => compressUsingDict(context, bytes, NO_DICTIONARY, ZSTD_LEVEL[effort]);
  });
  return wasm;
}
