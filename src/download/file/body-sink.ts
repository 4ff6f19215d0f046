import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FileChecksums } from '../../integrity/verify-file.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-config.js';
import type { StoredVersion } from '../../store/files.js';
import type { ByteRateLimit } from '../../transfer/byte-rate-limit.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { ExpectedBytes } from '../download-options.js';
import { assertExpected } from '../lists/assert-expected.js';

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

/** Destination of the bytes of one day file, over all its attempts. */
export interface BodySink {
  /** Call it before each attempt: resolves when the slot and the memory are acquired. */
  prepare(slot: TransferSlot): Promise<void>;
  /** Where the next attempt continues; undefined for the beginning. */
  findResumePoint(attempt: number): Promise<ResumePoint | undefined>;
  /**
   * Receives the body. The file is published after it is verified, and its conversions after that.
   * @throws TickhaulError.
   */
  receive(attempt: TransferAttempt, response: DayFileResponse): Promise<ReceivedFile>;
  /** Call it after a failed attempt: discards what the next attempt cannot use. */
  onFailure(error: unknown): Promise<void>;
  /** Always call it when done. */
  close(): Promise<void>;
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

/** Checks that a verified file has the announced and the expected content. @throws TickhaulError. */
export function assertAsAnnounced(
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
