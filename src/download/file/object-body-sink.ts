import { startVerification, type VerificationPass } from '../../integrity/verify-file.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-config.js';
import type { PartFile } from '../../store/files.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { DayFileConversion } from '../conversion/conversions.js';
import type { PlannedFile } from '../download-options.js';
import { acquireSlotAndMemory } from './acquire-slot-and-memory.js';
import {
  assertAsAnnounced,
  type BodySink,
  isBadContent,
  type ReceivedFile,
  type TransferAttempt,
} from './body-sink.js';
import { isSmallFile, receiveSmallFile } from './receive-small-file.js';
import type { TransferContext } from './transfer-context.js';

/** What has come of a file so far, over one try or several. */
interface UploadPass {
  readonly proof: VerificationPass;
  /** Undefined where the file itself is not wanted. */
  readonly part: PartFile | undefined;
  readonly conversion: DayFileConversion | undefined;
  /** Of the whole file, as the first answer announced it. */
  readonly total: number | undefined;
  readonly etag: string | undefined;
  /** Bytes that were taken. */
  position: number;
  /** Whether each of them went everywhere it was to go. */
  isSound: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Brings a day file into an object store. What has come (the proof's state, the upload, the conversion) stays in memory
 * over the tries, and the next one asks for the rest; a store has no place for it over runs. Nobody sees anything of the
 * file before it is proven whole. Of one that is only wanted for what is made of it, nothing is written.
 */
export class ObjectBodySink implements BodySink {
  readonly #context: TransferContext;
  readonly #planned: PlannedFile;
  readonly #isWritten: boolean;
  #pass: UploadPass | undefined;
  #giveBack: (() => void) | undefined;

  constructor(context: TransferContext, planned: PlannedFile) {
    this.#context = context;
    this.#planned = planned;
    this.#isWritten = context.conversions?.keepCsv !== false || planned.outputs.length === 0;
  }

  async prepare(place: TransferSlot): Promise<void> {
    if (this.#giveBack) await place.acquire();
    else this.#giveBack = await acquireSlotAndMemory(this.#context, this.#planned, place, this.#isWritten);
  }

  async findResumePoint(): Promise<ResumePoint | undefined> {
    const { position = 0, total = 0, etag } = this.#pass ?? {};
    return etag !== undefined && position > 0 && position < total
      ? { from: position, etag, total }
      : undefined;
  }

  async receive(one: TransferAttempt, answer: DayFileResponse): Promise<ReceivedFile> {
    const isRest = this.#pass !== undefined && answer.start === this.#pass.position && answer.start > 0;
    if (!isRest) await this.#discard();
    if (!isRest && this.#planned.outputs.length === 0 && isSmallFile(answer))
      return this.#takeSmall(one, answer);
    this.#pass ??= await this.#begin(answer);
    return this.#takeStream(this.#pass, one, answer);
  }

  async onFailure(error: unknown): Promise<void> {
    if (isBadContent(error) || this.#pass?.isSound === false) await this.#discard();
  }

  async close(): Promise<void> {
    await this.#discard();
    this.#giveBack?.();
  }

  async #takeSmall(
    one: TransferAttempt,
    answer: DayFileResponse & { readonly total: number },
  ): Promise<ReceivedFile> {
    const { bytes, received } = await receiveSmallFile(one, answer);
    const part = await this.#openPart(bytes.length);
    try {
      await part.write(bytes);
      return { ...received, object: await part.publish() };
    } finally {
      await part.discard();
    }
  }

  async #begin({ total, resumeEtag }: DayFileResponse): Promise<UploadPass> {
    const part = this.#isWritten ? await this.#openPart(total) : undefined;
    const conversion = this.#context.conversions?.start(this.#planned);
    const proof = startVerification({ onText: conversion?.textSink() });
    const writing = undefined;
    return { proof, part, conversion, total, etag: resumeEtag, position: 0, isSound: true, writing };
  }

  #openPart(bytes: number | undefined): Promise<PartFile> {
    const { destination, signal } = this.#context;
    const location = destination.locate(this.#planned.path);
    return destination.files.openPart(location, undefined, signal, bytes);
  }

  /** One pass: each byte goes to the store and through the proof, and is never read again. */
  async #takeStream(pass: UploadPass, one: TransferAttempt, answer: DayFileResponse): Promise<ReceivedFile> {
    for await (const chunk of answer.body) {
      await one.rate(chunk.length, one.signal);
      if (pass.position + chunk.length === answer.total) one.onBodyEnd();
      pass.isSound = false;
      pass.writing = pass.part?.write(chunk);
      await Promise.all([pass.proof.write(chunk), pass.writing]);
      pass.isSound = true;
      pass.position += chunk.length;
      one.onBytes(chunk.length, pass.position);
    }
    one.onBodyEnd();
    pass.isSound = false;
    const { total } = pass;
    const proven = assertAsAnnounced(one, { total, md5: answer.md5 }, await pass.proof.finish());
    const object = await pass.part?.publish();
    const outcome = await pass.conversion?.finish(proven);
    return {
      ...proven,
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
