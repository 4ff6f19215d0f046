import { createStartCheck } from '../../format/csv/start-check.js';
import { startVerification, type VerificationPass } from '../../integrity/verify-file.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-config.js';
import type { PartFile } from '../../store/files.js';
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
import { isSmallFile, receiveSmallFile } from './receive-small-file.js';
import { acquireSlotAndMemory, type TransferContext } from './transfer-context.js';

/** State of a file that is kept over several attempts. */
interface UploadPass {
  readonly proof: VerificationPass;
  /** Undefined if the file itself is not kept. */
  readonly part: PartFile | undefined;
  readonly conversion: DayFileConversion | undefined;
  /** Size of the whole file, from the first response. */
  readonly total: number | undefined;
  readonly etag: string | undefined;
  /** Bytes received and processed. */
  position: number;
  /** Whether each received byte reached the verification and the upload. */
  isSound: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Writes a day file to an object store. The state of verification, upload and conversion stays in memory between
 * attempts, and the next attempt requests the rest; it is not kept between runs. The object becomes visible only after
 * verification. If only its conversions are kept, the file itself is not written.
 */
export class ObjectBodySink implements BodySink {
  readonly #context: TransferContext;
  readonly #planned: PlannedFile;
  readonly #isWritten: boolean;
  #pass: UploadPass | undefined;
  #releaseMemory: (() => void) | undefined;

  constructor(context: TransferContext, planned: PlannedFile) {
    this.#context = context;
    this.#planned = planned;
    this.#isWritten = context.work.conversions?.keepCsv !== false || planned.outputs.length === 0;
  }

  async prepare(slot: TransferSlot): Promise<void> {
    if (this.#releaseMemory) await slot.acquire();
    else
      this.#releaseMemory = await acquireSlotAndMemory(this.#context, this.#planned, slot, this.#isWritten);
  }

  async findResumePoint(): Promise<ResumePoint | undefined> {
    const { position = 0, total = 0, etag } = this.#pass ?? {};
    return etag !== undefined && position > 0 && position < total
      ? { from: position, etag, total }
      : undefined;
  }

  async receive(attempt: TransferAttempt, response: DayFileResponse): Promise<ReceivedFile> {
    const isContinuation =
      this.#pass !== undefined && response.start === this.#pass.position && response.start > 0;
    if (!isContinuation) await this.#discard();
    const hasWork = this.#planned.outputs.length > 0 || this.#context.work.audits !== undefined;
    if (!isContinuation && !hasWork && isSmallFile(response)) return this.#receiveSmall(attempt, response);
    this.#pass ??= await this.#startPass(response);
    return this.#receiveStream(this.#pass, attempt, response);
  }

  async onFailure(error: unknown): Promise<void> {
    if (isBadContent(error) || this.#pass?.isSound === false) await this.#discard();
  }

  async close(): Promise<void> {
    await this.#discard();
    this.#releaseMemory?.();
  }

  async #receiveSmall(
    attempt: TransferAttempt,
    response: DayFileResponse & { readonly total: number },
  ): Promise<ReceivedFile> {
    const { bytes, received } = await receiveSmallFile(attempt, response);
    const part = await this.#openPart(bytes.length);
    try {
      await part.write(bytes);
      return { ...received, object: await part.publish() };
    } finally {
      await part.discard();
    }
  }

  async #startPass({ total, resumeEtag }: DayFileResponse): Promise<UploadPass> {
    const part = this.#isWritten ? await this.#openPart(total) : undefined;
    const conversion = startArrivalWork(this.#context.work, this.#planned);
    const check = createStartCheck(this.#planned.file);
    const proof = startVerification({ check, onText: conversion?.textSink() });
    const writing = undefined;
    return { proof, part, conversion, total, etag: resumeEtag, position: 0, isSound: true, writing };
  }

  #openPart(bytes: number | undefined): Promise<PartFile> {
    const { place, signal } = this.#context;
    const { destination } = place;
    const location = destination.locate(this.#planned.path);
    return destination.files.openPart(location, undefined, signal, bytes);
  }

  /** One pass: each byte is uploaded and verified, and never read again. */
  async #receiveStream(
    pass: UploadPass,
    attempt: TransferAttempt,
    response: DayFileResponse,
  ): Promise<ReceivedFile> {
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
    const { total } = pass;
    const verified = assertAsAnnounced(attempt, { total, md5: response.md5 }, await pass.proof.finish());
    const object = await pass.part?.publish();
    const outcome = await pass.conversion?.finish(verified);
    return {
      ...verified,
      etag: pass.etag,
      outcome,
      ...(pass.part ? { object } : { isUnwritten: true }),
    };
  }

  async #discard(): Promise<void> {
    const pass = this.#pass;
    if (!pass) return;
    this.#pass = undefined;
    void pass.proof.destroy();
    await pass.writing?.catch(() => {});
    await pass.part?.discard();
    await pass.conversion?.end();
  }
}
