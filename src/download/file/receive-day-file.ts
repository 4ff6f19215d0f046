import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { yieldToEventLoop } from '../../base/wait.js';
import type { DayFile } from '../../day-files/day-file.js';
import { createStartCheck } from '../../format/csv/start-check.js';
import {
  type FileChecksums,
  startVerification,
  type TextCheck,
  type VerificationPass,
  verifyBytes,
} from '../../gzip/verify-file.js';
import type { ByteRateLimit } from '../../http/concurrency.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-client.js';
import type { DayPart } from '../../store/destination.js';
import type { StoredVersion } from '../../store/files.js';
import { type DayFileWork, startArrivalWork } from '../conversion/arrival-work.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { ExpectedBytes, PlannedFile } from '../download-options.js';
import { acquireSlotAndMemory, type TransferContext } from '../shared-run.js';

/** One attempt to transfer a day file. */
export interface TransferAttempt {
  readonly file: DayFile;
  /** Path in the destination. */
  readonly path: string;
  /** The only accepted content; undefined if any complete file is accepted. */
  readonly expected: ExpectedBytes | undefined;
  readonly rate: ByteRateLimit;
  readonly signal: AbortSignal;
  /** Called for received bytes. @param position bytes of the file so far. */
  readonly onBytes: (received: number, position: number) => void;
  /** Called after the last byte, possibly twice: the rest needs no connection. */
  readonly onBodyEnd: () => void;
}

export interface ReceivedFile extends FileChecksums {
  readonly md5Match: boolean | null;
  readonly etag: string | undefined;
  /** Result of the conversion, if one was requested. */
  readonly outcome: ConversionOutcome | undefined;
  /** Version of the object in a store. */
  readonly object?: StoredVersion | undefined;
  /** Set if the file was verified but not written, since only its conversions are kept. */
  readonly isUnwritten?: true | undefined;
}

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

/** Minimum size of a file for streaming and resuming. */
const MIN_BYTES_TO_STREAM = 64 * 1024;

type SizedResponse = DayFileResponse & { readonly total: number };

/** Whether streaming a file would cost more than buffering it. */
function isSmallFile(response: DayFileResponse): response is SizedResponse {
  const { start, total } = response;
  return start === 0 && total !== undefined && total < MIN_BYTES_TO_STREAM;
}

/** Receives and verifies a small day file in memory, before anything is written. @throws TickhaulError. */
async function receiveSmallFile(
  attempt: TransferAttempt,
  response: SizedResponse,
): Promise<{ readonly bytes: Buffer; readonly received: ReceivedFile }> {
  const bytes = await readWholeBody(attempt, response);
  // The slot's next request is sent first: verification keeps the thread busy.
  await yieldToEventLoop();
  const check = createStartCheck(attempt.file);
  const proof = verifyBytes(bytes, { check }) ?? (await verifyLongText(bytes, check));
  const received = {
    ...assertAsAnnounced(attempt, response, proof),
    etag: response.resumeEtag,
    outcome: undefined,
  };
  return { bytes, received };
}

async function readWholeBody(attempt: TransferAttempt, { body, total }: SizedResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    await attempt.rate(chunk.length, attempt.signal);
    chunks.push(chunk);
    length += chunk.length;
    attempt.onBytes(chunk.length, length);
    if (length > total) {
      throw new TickhaulError(
        'corrupt',
        `${attempt.path}: received more than the announced size (${plural(total, 'byte')})`,
      );
    }
    if (length === total) attempt.onBodyEnd();
  }
  attempt.onBodyEnd();
  return Buffer.concat(chunks);
}

/** Verifies a text that decompresses to many megabytes in several steps. */
async function verifyLongText(bytes: Buffer, check: TextCheck): Promise<FileChecksums> {
  const pass = startVerification({ check });
  try {
    await pass.write(bytes);
    return await pass.finish();
  } finally {
    await pass.destroy();
  }
}

/** Checks that a verified file has the announced and the expected content. @throws TickhaulError. */
function assertAsAnnounced(
  { path, expected }: Pick<TransferAttempt, 'path' | 'expected'>,
  { total, md5 }: Pick<DayFileResponse, 'total' | 'md5'>,
  proof: FileChecksums,
): FileChecksums & Pick<ReceivedFile, 'md5Match'> {
  if (total !== undefined && proof.bytes !== total) {
    throw new TickhaulError(
      'corrupt',
      `${path}: ${plural(proof.bytes, 'byte')} received instead of the announced ${total}`,
    );
  }
  assertExpected(path, expected, proof);
  return { ...proof, md5Match: md5 === undefined ? null : md5 === proof.md5 };
}

/** Whether an error means that the bytes are bad, so that no later attempt can use them. */
export function isBadContent(error: unknown): error is TickhaulError {
  return error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'changed');
}

/**
 * Checks a complete file against the lock file.
 * @param sha256 undefined while only the size is known.
 * @throws TickhaulError `changed`, which a retry cannot fix.
 */
export function assertExpected(
  path: string,
  expected: ExpectedBytes | undefined,
  { bytes, sha256 }: { readonly bytes: number | undefined; readonly sha256?: string },
): void {
  if (!expected) return;
  const hasOtherSize = bytes !== undefined && bytes !== expected.bytes;
  if (!hasOtherSize && (sha256 === undefined || sha256 === expected.sha256)) return;
  const actual = sha256 === undefined ? plural(bytes ?? 0, 'byte') : `sha256 ${sha256}`;
  const expectedText = sha256 === undefined ? `${expected.bytes}` : expected.sha256;
  throw new TickhaulError(
    'changed',
    `${path}: the service has other bytes than the lock file names (${actual}, not ${expectedText}); the existing file is kept`,
  );
}
