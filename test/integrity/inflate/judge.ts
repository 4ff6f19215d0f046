import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { TickhaulError } from '../../../src/base/errors.js';
import { type GunzipPass, startGunzip, type TextSink } from '../../../src/integrity/gunzip.js';
import { startInflate } from '../../../src/integrity/inflate/inflate.js';
import { InflateRefusal } from '../../../src/integrity/inflate/member-inflater.js';

/** What a pass made of a file. */
interface Outcome {
  /** All that the sink was given. */
  readonly text: Buffer;
  readonly isAccepted: boolean;
}

/** The text of a whole gzip file by zlib, undefined where zlib takes it for none. */
export function zlibText(bytes: Buffer): Buffer | undefined {
  try {
    const { buffer, engine } = gunzipSync(bytes, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return bytes.length > 0 && engine.bytesWritten === bytes.length ? buffer : undefined;
  } catch {
    return undefined;
  }
}

/** Holds the kernel against `zlibText`. */
export async function judge(bytes: Buffer, cuts: readonly number[], chunkSize: number): Promise<void> {
  const expected = zlibText(bytes);
  const { text, isAccepted } = await byKernel(bytes, cuts, chunkSize);
  assert.equal(isAccepted, expected !== undefined, 'verdict');
  if (expected) assert.ok(text.equals(expected), 'text');
}

/** Holds the kernel against Node's stream: the text that comes before a refusal, too. */
export async function judgeChunks(bytes: Buffer, cuts: readonly number[], chunkSize: number): Promise<void> {
  const kernel = await byKernel(bytes, cuts, chunkSize);
  const node = await outcomeOf((onText) => startGunzip(onText, chunkSize), bytes, cuts);
  assert.equal(kernel.isAccepted, node.isAccepted, 'verdict beside the stream');
  assert.equal(kernel.text.length, node.text.length, 'length of text beside the stream');
  assert.ok(kernel.text.equals(node.text), 'text beside the stream');
}

function byKernel(bytes: Buffer, cuts: readonly number[], chunkSize: number): Promise<Outcome> {
  return outcomeOf(
    (onText) => {
      const pass = startInflate(onText, chunkSize);
      assert.ok(pass);
      return pass;
    },
    bytes,
    cuts,
  );
}

async function outcomeOf(
  start: (onText: TextSink) => GunzipPass,
  bytes: Buffer,
  cuts: readonly number[],
): Promise<Outcome> {
  const parts: Buffer[] = [];
  const pass = start((chunk) => {
    parts.push(Buffer.from(chunk));
  });
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = cuts[turn % cuts.length] ?? bytes.length;
      await pass.write(bytes.subarray(at, at + size));
      at += size;
    }
    await pass.finish();
    return { text: Buffer.concat(parts), isAccepted: true };
  } catch (error) {
    const isVerdict = error instanceof InflateRefusal || error instanceof TickhaulError;
    if (!isVerdict) throw error;
    return { text: Buffer.concat(parts), isAccepted: false };
  } finally {
    pass.destroy();
  }
}
