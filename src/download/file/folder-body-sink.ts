import { type FileHandle, open, rm } from 'node:fs/promises';
import { writeAll } from '../../base/disk-files.js';
import { TickhaulError } from '../../base/errors.js';
import { createStartCheck } from '../../format/csv/start-check.js';
import { publishPart } from '../../integrity/publish-part.js';
import { startVerification, type VerificationPass } from '../../integrity/verify-file.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-config.js';
import { partPath, type ResumeNote, readResumeNote, removeResumeNote } from '../../store/part-path.js';
import { createParentFolder, resolveInside } from '../../store/paths.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { DayFileConversion } from '../conversion/conversions.js';
import { startArrivalWork } from '../conversion/start-arrival-work.js';
import type { PlannedFile } from '../download-options.js';
import {
  assertAsAnnounced,
  type BodySink,
  isBadContent,
  type ReceivedFile,
  type TransferAttempt,
} from './body-sink.js';
import { needsResumeNote, openDownloadPart, type PartLocation, removeIfEmpty } from './download-part.js';
import { isSmallFile, receiveSmallFile } from './receive-small-file.js';
import { acquireSlotAndMemory, type TransferContext } from './transfer-context.js';

const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * Writes a day file to a local folder. Its bytes are collected in a `.part` file, which the next attempt or the next run
 * resumes after reading it again, so that the file is verified as a whole.
 */
export class FolderBodySink implements BodySink {
  readonly #context: TransferContext;
  readonly #planned: PlannedFile;
  #location: PartLocation | undefined;
  #note: ResumeNote | undefined;
  #conversion: DayFileConversion | undefined;
  #releaseMemory: (() => void) | undefined;
  /** Whether the part file was begun from a response without ranges, so that no run can resume it. */
  #isPartLost = false;

  constructor(context: TransferContext, planned: PlannedFile) {
    this.#context = context;
    this.#planned = planned;
  }

  async prepare(slot: TransferSlot): Promise<void> {
    this.#releaseMemory = await acquireSlotAndMemory(this.#context, this.#planned, slot, true);
    this.#conversion = startArrivalWork(this.#context.work, this.#planned);
  }

  async findResumePoint(attempt: number): Promise<ResumePoint | undefined> {
    const { destination, partSuffix } = this.#context.place;
    const { path } = this.#planned;
    const dir = destination.locate('');
    const target = resolveInside(dir, path);
    const resumable = partSuffix === undefined;
    this.#location = { dir, path, target, part: partPath(target, partSuffix), resumable };
    this.#note = undefined;
    if (!resumable || !mayHaveNote(this.#planned, attempt)) return undefined;
    this.#note = await readResumeNote(dir, path);
    if (!this.#note) return undefined;
    await createParentFolder(dir, path);
    return readResumePoint(this.#location.part, this.#note);
  }

  async receive(attempt: TransferAttempt, response: DayFileResponse): Promise<ReceivedFile> {
    const location = this.#location;
    if (!location) throw new Error(`${attempt.path}: taken before it was asked for`);
    if (!this.#conversion && !this.#note && isSmallFile(response)) {
      const { bytes, received } = await receiveSmallFile(attempt, response);
      return this.#write(location, response, async (handle) => {
        await writeAll(handle, bytes, 0, location.part);
        return received;
      });
    }
    return this.#receiveStream(location, attempt, response);
  }

  async onFailure(error: unknown): Promise<void> {
    if (this.#location) {
      const { dir, path, part, resumable } = this.#location;
      // A run that cannot publish under the final name does not resume its part file either.
      if (isBadContent(error) || !resumable) {
        await rm(part, { force: true }).catch(() => {});
        if (resumable) await removeResumeNote(dir, path).catch(() => {});
      }
    }
    if (this.#isPartLost && this.#context.signal.aborted) noteLostParts(this.#context);
    await this.close();
  }

  async close(): Promise<void> {
    await this.#conversion?.end();
    this.#releaseMemory?.();
    this.#conversion = undefined;
    this.#location = undefined;
  }

  /** One pass: each byte is written to the part file and verified, and never read again. */
  async #receiveStream(
    location: PartLocation,
    attempt: TransferAttempt,
    response: DayFileResponse,
  ): Promise<ReceivedFile> {
    const check = createStartCheck(attempt.file);
    const proof = startVerification({ check, onText: this.#conversion?.textSink() });
    try {
      const received = await this.#write(location, response, async (handle) => {
        await writeBody(location, attempt, response, handle, proof);
        return assertAsAnnounced(attempt, response, await proof.finish());
      });
      if (this.#note || needsResumeNote(location, response))
        await removeResumeNote(location.dir, location.path);
      const outcome = await this.#conversion?.finish(received);
      return { ...received, etag: response.resumeEtag, outcome };
    } finally {
      void proof.destroy();
    }
  }

  /**
   * Creates the folder only when the response is there: the slot's next request would wait for the disk.
   * @param work writes the part file; afterwards the file is complete. An existing equal file is kept.
   */
  async #write<T extends Pick<ReceivedFile, 'sha256'>>(
    location: PartLocation,
    response: DayFileResponse,
    work: (handle: FileHandle) => Promise<T>,
  ): Promise<T> {
    await createParentFolder(location.dir, location.path);
    const handle = await openDownloadPart(location, response, this.#note !== undefined);
    this.#isPartLost = response.resumeEtag === undefined;
    try {
      const result = await work(handle);
      await publishPart(location.part, location.target, handle, result.sha256);
      return result;
    } catch (error) {
      await removeIfEmpty(handle, location.part);
      throw error;
    } finally {
      await handle.close().catch(() => {});
    }
  }
}

/** Jobs that have been noted, since a run has many files in flight. */
const notedContexts = new WeakSet<TransferContext>();

/** Says, once per job, that the files in flight at an interrupt begin again. */
function noteLostParts(context: TransferContext): void {
  if (notedContexts.has(context)) return;
  notedContexts.add(context);
  const message =
    'part files cannot be continued, since the service offers no ranges; the next run downloads these files from the start';
  context.emit({ event: 'note', message });
}

/** Whether to look for a resume note: only if the plan found a part file, since each lookup costs time. */
function mayHaveNote({ status, action }: PlannedFile, attempt: number): boolean {
  return attempt > 0 || status === 'resume' || action !== 'fetch';
}

async function readResumePoint(part: string, note: ResumeNote): Promise<ResumePoint | undefined> {
  try {
    const handle = await open(part, 'r');
    const { size } = await handle.stat().finally(() => handle.close());
    return size > 0 && size < note.total ? { from: size, ...note } : undefined;
  } catch {
    return undefined;
  }
}

async function writeBody(
  location: PartLocation,
  attempt: TransferAttempt,
  response: DayFileResponse,
  handle: FileHandle,
  proof: VerificationPass,
): Promise<void> {
  const { part } = location;
  let position = 0;
  if (response.start > 0) position = await verifyExistingBytes(part, attempt, handle, proof, response.start);
  for await (const chunk of response.body) {
    await attempt.rate(chunk.length, attempt.signal);
    if (position + chunk.length === response.total) attempt.onBodyEnd();
    await Promise.all([proof.write(chunk), writeAll(handle, chunk, position, part)]);
    position += chunk.length;
    attempt.onBytes(chunk.length, position);
  }
  attempt.onBodyEnd();
}

/** Verifies the bytes on disk too, so that a resumed file is verified as a whole. */
async function verifyExistingBytes(
  part: string,
  { signal }: TransferAttempt,
  handle: FileHandle,
  proof: VerificationPass,
  end: number,
): Promise<number> {
  let position = 0;
  while (position < end) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, end - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new TickhaulError('corrupt', `${part} shrank while it was read`);
    await proof.write(chunk.subarray(0, bytesRead));
    position += bytesRead;
    signal.throwIfAborted();
  }
  return position;
}
