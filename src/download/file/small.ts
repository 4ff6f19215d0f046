import { TickhaulError } from '../../base/errors.js';
import { type Proof, startProof } from '../../integrity/proof.js';
import { proveBytes } from '../../integrity/prove-bytes.js';
import { publish } from '../../integrity/publish.js';
import type { DatasetAnswer } from '../../service/types.js';
import { LEAST_TO_RESUME, openPart, removeIfEmpty, writeAll } from './part-file.js';
import { assertAnnounced, type Received, type Try } from './try.js';

type Announced = DatasetAnswer & { readonly total: number };

/** Whether a file is so small that streams would cost more than its bytes: one that is never resumed. */
export function isSmall({ conversion, note }: Try, answer: DatasetAnswer): answer is Announced {
  const { start, total } = answer;
  return !conversion && !note && start === 0 && total !== undefined && total < LEAST_TO_RESUME;
}

/**
 * Brings a small day file to disk in one piece: nothing of it is written before it is proven.
 * @throws TickhaulError; it leaves a part only where the disk failed.
 */
export async function receiveSmall(job: Try, answer: Announced): Promise<Received> {
  const bytes = await takeAll(job, answer);
  const received = assertAnnounced(job, answer, proveBytes(bytes) ?? (await proveLong(bytes)));
  const handle = await openPart(job, answer);
  try {
    await writeAll(handle, bytes, 0, job.part);
    await publish(job.part, job.target, handle);
  } catch (error) {
    await removeIfEmpty(handle, job.part);
    throw error;
  } finally {
    await handle.close().catch(() => {});
  }
  return { ...received, etag: answer.resumeEtag, outcome: undefined };
}

async function takeAll(job: Try, { body, total }: Announced): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    await job.rate(chunk.length, job.signal);
    chunks.push(chunk);
    length += chunk.length;
    job.onBytes(chunk.length, length);
    if (length > total) {
      throw new TickhaulError('corrupt', `${job.path}: more than the ${total} announced bytes came`);
    }
    if (length === total) job.onBodyEnd();
  }
  job.onBodyEnd();
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
