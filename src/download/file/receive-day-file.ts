import { createStartCheck } from '../../format/csv/start-check.js';
import { startVerification, type VerificationPass } from '../../gzip/verify-file.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-client.js';
import type { DayPart } from '../../store/destination.js';
import { type DayFileWork, startArrivalWork } from '../conversion/arrival-work.js';
import type { PlannedFile } from '../download-options.js';
import { acquireSlotAndMemory, type TransferContext } from '../shared-run.js';
import {
  assertAsAnnounced,
  isBadContent,
  isSmallFile,
  type ReceivedFile,
  receiveSmallFile,
  type TransferAttempt,
} from './transfer-attempt.js';

/** One pass over a file, which goes on over several attempts. */
interface Pass {
  readonly proof: VerificationPass;
  /** Undefined if the file itself is not written. */
  readonly part: DayPart | undefined;
  readonly work: DayFileWork | undefined;
  /** Size of the whole file, and the ETag with which it can be resumed, from the first response. */
  readonly total: number | undefined;
  readonly etag: string | undefined;
  /** Bytes verified and written. */
  position: number;
  /** Whether each received byte reached the verification, the part and the conversions. */
  isSound: boolean;
  /** The last write, which may be running when an attempt fails. */
  writing: Promise<void> | undefined;
}

/**
 * Receives a day file in one pass: each byte is verified, written and converted once, however often the connection breaks.
 * The next attempt requests the rest. After an error of the pass itself, the next attempt begins with what the destination
 * has kept, as the next run does. The file becomes visible only after it is verified as a whole.
 */
export class DayFileReceiver {
  readonly #context: TransferContext;
  readonly #planned: PlannedFile;
  readonly #isWritten: boolean;
  #pass: Pass | undefined;
  #releaseMemory: (() => void) | undefined;
  /** Whether an earlier run, or an earlier pass, has left a part to resume. */
  #hasKeptPart = false;

  constructor(context: TransferContext, planned: PlannedFile) {
    this.#context = context;
    this.#planned = planned;
    const { place, work } = context;
    const keepsFile = work.conversions?.keepCsv !== false || planned.outputs.length === 0;
    // In a folder, a run resumes with the bytes of the file, even if only its conversions are kept.
    this.#isWritten = keepsFile || place.destination.hasLocalPaths;
  }

  /** Call it before each attempt: resolves when the slot and the memory are acquired. */
  async prepare(slot: TransferSlot): Promise<void> {
    if (this.#releaseMemory) await slot.acquire();
    else
      this.#releaseMemory = await acquireSlotAndMemory(this.#context, this.#planned, slot, this.#isWritten);
  }

  /** Where an attempt continues; undefined for the beginning. @param attempt 0 for the first. */
  async findResumePoint(attempt: number): Promise<ResumePoint | undefined> {
    if (this.#pass) {
      const { position, total = 0, etag } = this.#pass;
      const isPartial = position > 0 && position < total;
      return etag !== undefined && isPartial ? { from: position, etag, total } : undefined;
    }
    if (!mayHavePart(this.#planned, attempt)) return undefined;
    const { destination, partSuffix } = this.#context.place;
    const kept = await destination.findDayPart(this.#planned.path, partSuffix);
    this.#hasKeptPart = kept !== undefined;
    return kept && kept.from > 0 ? kept : undefined;
  }

  /**
   * Receives the body. The file is published after it is verified, and its conversions after that.
   * @throws TickhaulError.
   */
  async receive(attempt: TransferAttempt, response: DayFileResponse): Promise<ReceivedFile> {
    const isContinuation = response.start > 0 && response.start === this.#pass?.position;
    if (!isContinuation) await this.#endPass(true);
    const hasWork = this.#planned.outputs.length > 0 || this.#context.work.audits !== undefined;
    if (!hasWork && isSmallFile(response)) return this.#receiveSmall(attempt, response);
    const pass = this.#pass ?? (await this.#startPass(response));
    return this.#receiveStream(pass, attempt, response);
  }

  /** Call it after a failed attempt: ends what the next attempt cannot use. */
  async onFailure(error: unknown): Promise<void> {
    const { signal, place } = this.#context;
    if (this.#pass && this.#pass.etag === undefined && signal.aborted && place.destination.hasLocalPaths)
      noteLostParts(this.#context);
    if (isBadContent(error)) {
      if (this.#pass) await this.#endPass(false);
      else if (this.#hasKeptPart) await place.destination.removeDayPart(this.#planned.path);
    } else if (this.#pass?.isSound === false) await this.#endPass(true);
  }

  /** Always call it when done. */
  async close(): Promise<void> {
    await this.#endPass(true);
    this.#releaseMemory?.();
  }

  async #receiveSmall(
    attempt: TransferAttempt,
    response: DayFileResponse & { readonly total: number },
  ): Promise<ReceivedFile> {
    const { bytes, received } = await receiveSmallFile(attempt, response);
    const part = await this.#openPart(response);
    try {
      await part.write(bytes);
      return { ...received, object: await part.publish(received.sha256) };
    } finally {
      await part.close(true);
    }
  }

  #openPart({ start, total, resumeEtag: etag }: DayFileResponse): Promise<DayPart> {
    const { place, signal } = this.#context;
    const { destination, partSuffix: suffix } = place;
    const options = { suffix, start, total, etag, hasKeptPart: this.#hasKeptPart, signal };
    return destination.openDayPart(this.#planned.path, options);
  }

  /** Called only when the response is there: the slot's next request would wait for the disk. */
  async #startPass(response: DayFileResponse): Promise<Pass> {
    const { start, total, resumeEtag: etag } = response;
    const part = this.#isWritten ? await this.#openPart(response) : undefined;
    const work = startArrivalWork(this.#context.work, this.#planned);
    const check = createStartCheck(this.#planned.file);
    const proof = startVerification({ check, onText: work?.textSink() });
    // Until the kept bytes are verified, an error makes the pass useless.
    const pass: Pass = {
      proof,
      part,
      work,
      total,
      etag,
      position: start,
      isSound: start === 0,
      writing: undefined,
    };
    this.#pass = pass;
    if (part && start > 0)
      for await (const chunk of part.kept(this.#context.signal)) await proof.write(chunk);
    return pass;
  }

  /** Each byte is written and verified, and never read again. */
  async #receiveStream(
    pass: Pass,
    attempt: TransferAttempt,
    response: DayFileResponse,
  ): Promise<ReceivedFile> {
    pass.isSound = true;
    for await (const chunk of response.body) {
      await attempt.rate(chunk.length, attempt.signal);
      if (pass.position + chunk.length === response.total) attempt.onBodyEnd();
      pass.isSound = false;
      pass.writing = pass.part?.write(chunk);
      await Promise.all([pass.proof.write(chunk), pass.writing]);
      pass.isSound = true;
      pass.position += chunk.length;
      attempt.onBytes(chunk.length, pass.position);
    }
    attempt.onBodyEnd();
    pass.isSound = false;
    const { total, etag, part } = pass;
    const verified = assertAsAnnounced(attempt, { total, md5: response.md5 }, await pass.proof.finish());
    const object = await part?.publish(verified.sha256);
    const outcome = await pass.work?.finish(verified);
    return { ...verified, etag, outcome, ...(part ? { object } : { isUnwritten: true }) };
  }

  /** @param keeps whether a later attempt or run may use the bytes. */
  async #endPass(keeps: boolean): Promise<void> {
    const pass = this.#pass;
    if (!pass) return;
    this.#pass = undefined;
    // A private part is not kept, and one with the usual name belongs to another run.
    this.#hasKeptPart ||= keeps && this.#context.place.partSuffix === undefined;
    void pass.proof.destroy();
    await pass.writing?.catch(() => {});
    await pass.part?.close(keeps);
    await pass.work?.end();
  }
}

/** Whether to look for a part: only if the plan found one, since each lookup costs time. */
function mayHavePart({ status, action }: PlannedFile, attempt: number): boolean {
  return attempt > 0 || status === 'resume' || action !== 'fetch';
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
