import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { type Proof, startProof } from '../../integrity/proof.js';
import { proveBytes } from '../../integrity/prove-bytes.js';
import type { DatasetAnswer } from '../../service/types.js';
import { assertAnnounced, type Received, type Try } from './try.js';

/** Bytes of a whole file that is worth streams, and to be gone on with. */
export const LEAST_TO_STREAM = 64 * 1024;

type Announced = DatasetAnswer & { readonly total: number };

/** Whether a file is so small that streams would cost more than its bytes. */
export function isSmall(answer: DatasetAnswer): answer is Announced {
  const { start, total } = answer;
  return start === 0 && total !== undefined && total < LEAST_TO_STREAM;
}

/** The bytes of a small day file in one piece, proven: nothing of it is written before. @throws TickhaulError. */
export async function takeSmall(
  one: Try,
  answer: Announced,
): Promise<{ readonly bytes: Buffer; readonly received: Received }> {
  const bytes = await takeAll(one, answer);
  const proof = proveBytes(bytes) ?? (await proveLong(bytes));
  const received = { ...assertAnnounced(one, answer, proof), etag: answer.resumeEtag, outcome: undefined };
  return { bytes, received };
}

async function takeAll(one: Try, { body, total }: Announced): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    await one.rate(chunk.length, one.signal);
    chunks.push(chunk);
    length += chunk.length;
    one.onBytes(chunk.length, length);
    if (length > total) {
      throw new TickhaulError(
        'corrupt',
        `${one.path}: more than the ${plural(total, 'announced byte')} came`,
      );
    }
    if (length === total) one.onBodyEnd();
  }
  one.onBodyEnd();
  return Buffer.concat(chunks);
}

/** A text of many megabytes, in few bytes: not in one go. */
async function proveLong(bytes: Buffer): Promise<Proof> {
  const pass = startProof();
  try {
    await pass.write(bytes);
    return await pass.finish();
  } finally {
    await pass.destroy();
  }
}
