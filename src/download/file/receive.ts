import { type FileHandle, open } from 'node:fs/promises';
import { TickhaulError } from '../../base/errors.js';
import { type ProofPass, startProof } from '../../integrity/proof.js';
import { publish } from '../../integrity/publish.js';
import { requestDayFile } from '../../service/datasets.js';
import type { DatasetAnswer, ResumePoint } from '../../service/types.js';
import { removeResumeNote } from '../../store/part.js';
import { assertExpected } from '../lists/expected.js';
import { isWorthANote, openPart, removeIfEmpty, writeAll } from './part-file.js';
import { isSmall, receiveSmall } from './small.js';
import { assertAnnounced, type Received, type Try } from './try.js';

const READ_CHUNK = 1024 * 1024;

/**
 * Brings one day file to disk. It gets its name when it is whole, verified and synced; only then its conversion does.
 * @throws TickhaulError; the part stays where it was proven neither whole nor bad.
 */
export async function receive(job: Try): Promise<Received> {
  const resume = await resumePoint(job);
  const answer = await requestDayFile(job.client, job.file, {
    attempt: job.attempt,
    resume,
    signal: job.signal,
  });
  try {
    job.onAnswer(answer.total);
    assertExpected(job.path, job.expected, { bytes: answer.total });
    return isSmall(job, answer) ? await receiveSmall(job, answer) : await receiveStream(job, answer);
  } finally {
    answer.body.destroy();
  }
}

/** One pass: each byte goes to the part file and through the proof, and is never read again. */
async function receiveStream(job: Try, answer: DatasetAnswer): Promise<Received> {
  const proof = startProof({ onText: job.conversion?.textSink() });
  try {
    const handle = await openPart(job, answer);
    try {
      await takeBody(job, answer, handle, proof);
      const received = assertAnnounced(job, answer, await proof.finish());
      await publish(job.part, job.target, handle);
      if (job.note || isWorthANote(job, answer)) await removeResumeNote(job.dir, job.path);
      const outcome = await job.conversion?.finish(received);
      return { ...received, etag: answer.resumeEtag, outcome };
    } catch (error) {
      await removeIfEmpty(handle, job.part);
      throw error;
    } finally {
      await handle.close().catch(() => {});
    }
  } finally {
    void proof.destroy();
  }
}

async function resumePoint({ part, note }: Try): Promise<ResumePoint | undefined> {
  if (!note) return undefined;
  try {
    const handle = await open(part, 'r');
    const { size } = await handle.stat().finally(() => handle.close());
    return size > 0 && size < note.total ? { from: size, ...note } : undefined;
  } catch {
    return undefined;
  }
}

async function takeBody(
  job: Try,
  answer: DatasetAnswer,
  handle: FileHandle,
  proof: ProofPass,
): Promise<void> {
  let position = 0;
  if (answer.start > 0) position = await proveBeginning(job, handle, proof, answer.start);
  for await (const chunk of answer.body) {
    await job.rate(chunk.length, job.signal);
    if (position + chunk.length === answer.total) job.onBodyEnd();
    await Promise.all([proof.write(chunk), writeAll(handle, chunk, position, job.part)]);
    position += chunk.length;
    job.onBytes(chunk.length, position);
  }
  job.onBodyEnd();
}

/** What is on disk goes through the proof as well: a resumed file is verified as a whole. */
async function proveBeginning(job: Try, handle: FileHandle, proof: ProofPass, end: number): Promise<number> {
  let position = 0;
  while (position < end) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_CHUNK, end - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new TickhaulError('corrupt', `${job.part} shrank while it was read`);
    await proof.write(chunk.subarray(0, bytesRead));
    position += bytesRead;
    job.signal.throwIfAborted();
  }
  return position;
}
