import { constants, type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError, TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import type { DayFile } from '../../dataset/day-file.js';
import { type Proof, type ProofPass, startProof } from '../../integrity/proof.js';
import { publish } from '../../integrity/publish.js';
import { requestDayFile } from '../../service/datasets.js';
import type { Client } from '../../service/http/client.js';
import type { DatasetAnswer, ResumePoint } from '../../service/types.js';
import { NO_FOLLOW } from '../../store/no-follow.js';
import { type ResumeNote, removeResumeNote, writeResumeNote } from '../../store/part.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { ConversionOutcome, DayFileConversion } from '../conversion/conversions.js';
import { assertExpected } from '../lists/expected.js';
import type { ExpectedBytes } from '../types.js';

/** One try at one day file. */
export interface Try {
  readonly client: Client;
  readonly file: DayFile;
  /** Download folder, and the file's path under it. */
  readonly dir: string;
  readonly path: string;
  /** Absolute paths of the file that will be, and of its bytes until then. */
  readonly target: string;
  readonly part: string;
  /** 0 for the first. */
  readonly attempt: number;
  /** How the part on disk may be gone on with; undefined where it can't be. */
  readonly note: ResumeNote | undefined;
  /** The only bytes that are right; undefined where any whole file will do. */
  readonly expected: ExpectedBytes | undefined;
  /** Whether a part of this run may be gone on with by a later one. */
  readonly resumable: boolean;
  /** Takes the gunzipped text as it comes; ended by the caller. */
  readonly conversion: DayFileConversion | undefined;
  readonly rate: RateLimit;
  readonly signal: AbortSignal;
  /** Told when the service answered with the file. */
  readonly onAnswer: (total: number | undefined) => void;
  /** Told of bytes as they arrive: how many, and how many there are now. */
  readonly onBytes: (received: number, position: number) => void;
  /** Told, perhaps twice, when the last byte has come: what follows needs no connection. */
  readonly onBodyEnd: () => void;
}

export interface Received extends Proof {
  readonly md5Match: boolean | null;
  readonly etag: string | undefined;
  /** What came of the conversion, where one was asked for. */
  readonly outcome: ConversionOutcome | undefined;
}

/** A part that is a symbolic link is refused: it would lead the bytes out of the folder. */
const WRITE_ON = constants.O_RDWR | NO_FOLLOW;
const WRITE_ANEW = WRITE_ON | constants.O_CREAT | constants.O_TRUNC;

const READ_CHUNK = 1024 * 1024;
/** Bytes of a whole file. */
const LEAST_TO_RESUME = 64 * 1024;
/** Parts at least this large are worth a look at the free space. */
const SPACE_CHECK = 1_000_000;

/**
 * Brings one day file to disk in one pass: each byte goes to the part file and through the proof, and is never
 * read again. The file gets its name when it is whole, verified and synced; only then its conversion does.
 * @throws TickhaulError; the part stays where it was proven neither whole nor bad.
 */
export async function receive(job: Try): Promise<Received> {
  const resume = await resumePoint(job);
  const answer = await requestDayFile(job.client, job.file, {
    attempt: job.attempt,
    resume,
    signal: job.signal,
  });
  const proof = startProof({ onText: job.conversion?.textSink() });
  try {
    job.onAnswer(answer.total);
    assertExpected(job.path, job.expected, { bytes: answer.total });
    const handle = await openPart(job, answer);
    try {
      await takeBody(job, answer, handle, proof);
      const received = await prove(job, answer, proof);
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
    proof.destroy();
    answer.body.destroy();
  }
}

/** A part without a byte is of no use to any later try. */
async function removeIfEmpty(handle: FileHandle, part: string): Promise<void> {
  const { size } = await handle.stat().catch(() => ({ size: undefined }));
  if (size === 0) await rm(part, { force: true }).catch(() => {});
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

/** Opens the part at its end where the answer goes on from there, else empty; and notes how to resume it. */
async function openPart(job: Try, answer: DatasetAnswer): Promise<FileHandle> {
  const { total, start } = answer;
  await checkSpace(job.target, (total ?? 0) - start);
  if (start === 0) {
    if (isWorthANote(job, answer))
      await writeResumeNote(job.dir, job.path, { etag: answer.resumeEtag, total: answer.total });
    else if (job.note) await removeResumeNote(job.dir, job.path);
  }
  try {
    return await open(job.part, start === 0 ? WRITE_ANEW : WRITE_ON);
  } catch (error) {
    throw diskError(error, job.part);
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
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
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

async function writeAll(handle: FileHandle, chunk: Buffer, position: number, path: string): Promise<void> {
  try {
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done);
      done += bytesWritten;
    }
  } catch (error) {
    throw diskError(error, path);
  }
}

async function prove(
  job: Try,
  { total, md5 }: DatasetAnswer,
  pass: ProofPass,
): Promise<Omit<Received, 'etag' | 'outcome'>> {
  const proof = await pass.finish();
  if (total !== undefined && proof.bytes !== total) {
    throw new TickhaulError('corrupt', `${job.path}: ${proof.bytes} bytes came, ${total} were announced`);
  }
  assertExpected(job.path, job.expected, proof);
  return { ...proof, md5Match: md5 === undefined ? null : md5 === proof.md5 };
}

/** A disk too small is known before the hours that would fill it. */
async function checkSpace(target: string, bytes: number): Promise<void> {
  if (bytes < SPACE_CHECK) return;
  const { bavail, bsize } = await statfs(dirname(target));
  if (bavail * bsize < bytes) {
    throw new TickhaulError(
      'disk',
      `${target}: needs ${formatSize(bytes)}, and the disk has ${formatSize(bavail * bsize)} free`,
    );
  }
}

type Resumable = DatasetAnswer & { readonly resumeEtag: string; readonly total: number };

/** A small file is sooner asked for again than noted. */
function isWorthANote({ resumable }: Try, answer: DatasetAnswer): answer is Resumable {
  return resumable && answer.resumeEtag !== undefined && (answer.total ?? 0) >= LEAST_TO_RESUME;
}
