import { type FileHandle, open, rm } from 'node:fs/promises';
import { TickhaulError } from '../../base/errors.js';
import { type ProofPass, startProof } from '../../integrity/proof.js';
import { publish } from '../../integrity/publish.js';
import type { DatasetAnswer, ResumePoint } from '../../service/types.js';
import { writeAll } from '../../store/folder/write-all.js';
import { partPath, type ResumeNote, readResumeNote, removeResumeNote } from '../../store/part.js';
import { prepareParent } from '../../store/paths.js';
import type { Place } from '../../transfer/pool.js';
import type { DayFileConversion } from '../conversion/conversions.js';
import type { PlannedFile } from '../types.js';
import { isWorthANote, openPart, type PartPlace, removeIfEmpty } from './part-file.js';
import { isSmall, takeSmall } from './small.js';
import { takeMemory } from './take-memory.js';
import type { TransferContext } from './transfer-context.js';
import { assertAnnounced, isOfBadBytes, type Received, type Reception, type Try } from './try.js';

const READ_CHUNK = 1024 * 1024;

/**
 * Brings a day file into a folder of this machine. Its bytes gather in a `.part` file, which the next try goes on with,
 * or the next run; what is there is read again then, so that the file is proven as a whole.
 */
export class FolderReception implements Reception {
  readonly #context: TransferContext;
  readonly #planned: PlannedFile;
  #place: PartPlace | undefined;
  #note: ResumeNote | undefined;
  #conversion: DayFileConversion | undefined;
  #giveBack: (() => void) | undefined;

  constructor(context: TransferContext, planned: PlannedFile) {
    this.#context = context;
    this.#planned = planned;
  }

  async ready(place: Place): Promise<void> {
    this.#giveBack = await takeMemory(this.#context, this.#planned, place, true);
    this.#conversion = this.#context.conversions?.begin(this.#planned);
  }

  async resumePoint(attempt: number): Promise<ResumePoint | undefined> {
    const { destination, partSuffix } = this.#context;
    const { path } = this.#planned;
    const dir = destination.locate('');
    const target = await prepareParent(dir, path);
    const resumable = partSuffix === undefined;
    this.#place = { dir, path, target, part: partPath(target, partSuffix), resumable };
    this.#note =
      resumable && mayHaveNote(this.#planned, attempt) ? await readResumeNote(dir, path) : undefined;
    return this.#note && resumeAt(this.#place.part, this.#note);
  }

  async take(one: Try, answer: DatasetAnswer): Promise<Received> {
    const place = this.#place;
    if (!place) throw new Error(`${one.path}: taken before it was asked for`);
    if (!this.#conversion && !this.#note && isSmall(answer)) {
      const { bytes, received } = await takeSmall(one, answer);
      return this.#write(place, answer, async (handle) => {
        await writeAll(handle, bytes, 0, place.part);
        return received;
      });
    }
    return this.#takeStream(place, one, answer);
  }

  async failed(error: unknown): Promise<void> {
    if (this.#place) {
      const { dir, path, part, resumable } = this.#place;
      // Those of a run without a right to the name are of no use either.
      if (isOfBadBytes(error) || !resumable) {
        await rm(part, { force: true }).catch(() => {});
        if (resumable) await removeResumeNote(dir, path).catch(() => {});
      }
    }
    await this.end();
  }

  async end(): Promise<void> {
    await this.#conversion?.end();
    this.#giveBack?.();
    this.#conversion = undefined;
    this.#place = undefined;
  }

  /** One pass: each byte goes to the part file and through the proof, and is never read again. */
  async #takeStream(place: PartPlace, one: Try, answer: DatasetAnswer): Promise<Received> {
    const proof = startProof({ onText: this.#conversion?.textSink() });
    try {
      const received = await this.#write(place, answer, async (handle) => {
        await takeBody(place, one, answer, handle, proof);
        return assertAnnounced(one, answer, await proof.finish());
      });
      if (this.#note || isWorthANote(place, answer)) await removeResumeNote(place.dir, place.path);
      const outcome = await this.#conversion?.finish(received);
      return { ...received, etag: answer.resumeEtag, outcome };
    } finally {
      void proof.destroy();
    }
  }

  /** @param work given the part; once it is done, the file is whole. A file that is there and equal stays. */
  async #write<T extends Pick<Received, 'sha256'>>(
    place: PartPlace,
    answer: DatasetAnswer,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
    const handle = await openPart(place, answer, this.#note !== undefined);
    try {
      const done = await work(handle);
      await publish(place.part, place.target, handle, done.sha256);
      return done;
    } catch (error) {
      await removeIfEmpty(handle, place.part);
      throw error;
    } finally {
      await handle.close().catch(() => {});
    }
  }
}

/** A plan that found no part is believed: looking for a note beside each takes time. */
function mayHaveNote({ status, action }: PlannedFile, attempt: number): boolean {
  return attempt > 0 || status === 'resume' || action !== 'fetch';
}

async function resumeAt(part: string, note: ResumeNote): Promise<ResumePoint | undefined> {
  try {
    const handle = await open(part, 'r');
    const { size } = await handle.stat().finally(() => handle.close());
    return size > 0 && size < note.total ? { from: size, ...note } : undefined;
  } catch {
    return undefined;
  }
}

async function takeBody(
  place: PartPlace,
  one: Try,
  answer: DatasetAnswer,
  handle: FileHandle,
  proof: ProofPass,
): Promise<void> {
  const { part } = place;
  let position = 0;
  if (answer.start > 0) position = await proveBeginning(part, one, handle, proof, answer.start);
  for await (const chunk of answer.body) {
    await one.rate(chunk.length, one.signal);
    if (position + chunk.length === answer.total) one.onBodyEnd();
    await Promise.all([proof.write(chunk), writeAll(handle, chunk, position, part)]);
    position += chunk.length;
    one.onBytes(chunk.length, position);
  }
  one.onBodyEnd();
}

/** What is on disk goes through the proof as well: a resumed file is verified as a whole. */
async function proveBeginning(
  part: string,
  { signal }: Try,
  handle: FileHandle,
  proof: ProofPass,
  end: number,
): Promise<number> {
  let position = 0;
  while (position < end) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_CHUNK, end - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new TickhaulError('corrupt', `${part} shrank while it was read`);
    await proof.write(chunk.subarray(0, bytesRead));
    position += bytesRead;
    signal.throwIfAborted();
  }
  return position;
}
