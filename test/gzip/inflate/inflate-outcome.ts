import { TickhaulError } from '../../../src/base/errors.js';
import { instantiateSync } from '../../../src/base/wasm.js';
import { type GunzipPass, startGunzip, type TextSink } from '../../../src/gzip/gunzip.js';
import { InflateRefusal } from '../../../src/gzip/inflate/inflated-text.js';
import {
  type ChunkSizes,
  decodeChunk,
  TOKEN_MODULE_URL,
  type TokenModule,
} from '../../../src/gzip/inflate/token-memory.js';
import { TokenPass, type TokenPassOptions } from '../../../src/gzip/inflate/token-pass.js';

/** What a pass made of a file. */
export interface Outcome {
  readonly text: Buffer;
  /** `refused` by the kernel, or zlib's judgement; undefined for a valid file. */
  readonly error: string | undefined;
}

/** Gives a file to a pass in pieces, and collects its text. @param pieceBytes size of a piece. */
export async function runPass(
  startPass: (onText: TextSink) => GunzipPass,
  file: Buffer,
  pieceBytes = file.length,
): Promise<Outcome> {
  const texts: Buffer[] = [];
  const pass = startPass((text) => void texts.push(Buffer.from(text)));
  let error: string | undefined;
  try {
    for (let at = 0; at < file.length; at += pieceBytes) {
      // The pass must not keep the piece.
      const piece = Buffer.from(file.subarray(at, at + pieceBytes));
      await pass.write(piece);
      piece.fill(0xaa);
    }
    await pass.finish();
  } catch (thrown) {
    if (thrown instanceof InflateRefusal) error = 'refused';
    else if (thrown instanceof TickhaulError) error = thrown.message;
    else throw thrown;
  } finally {
    await pass.destroy();
  }
  return { text: Buffer.concat(texts), error };
}

export const runZlib = (file: Buffer): Promise<Outcome> => runPass((onText) => startGunzip(onText), file);

/** Options of a `TokenPass` that decodes in the calling thread. */
export function decodeHere(sizes: ChunkSizes): Required<TokenPassOptions> {
  return {
    sizes,
    startDecoders: (memory, [tables = 0]) => {
      const module = instantiateSync<TokenModule>(TOKEN_MODULE_URL, memory);
      module.setUp(tables);
      const bytes = Buffer.from(memory.buffer);
      return {
        decode: async (_index, job) => decodeChunk(module, bytes, job),
        close: async () => {},
      };
    },
  };
}

/** Runs a `TokenPass` in the calling thread. */
export const runTokens = (file: Buffer, sizes: ChunkSizes, pieceBytes?: number): Promise<Outcome> =>
  runPass((onText) => new TokenPass(onText, 2, decodeHere(sizes)), file, pieceBytes);
