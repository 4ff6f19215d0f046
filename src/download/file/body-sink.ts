import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FileChecksums } from '../../integrity/verify-file.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { DayFileResponse, ResumePoint } from '../../service/service-config.js';
import type { ObjectVersion } from '../../store/s3/object-store.js';
import type { RateLimit } from '../../transfer/rate-limit.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { ExpectedBytes } from '../download-options.js';
import { assertExpected } from '../lists/assert-expected.js';

/** One try at one day file. */
export interface TransferAttempt {
  readonly client: ServiceClient;
  readonly file: DayFile;
  /** In the destination. */
  readonly path: string;
  /** 0 for the first. */
  readonly attempt: number;
  /** The only bytes that are right; undefined where any whole file will do. */
  readonly expected: ExpectedBytes | undefined;
  readonly rate: RateLimit;
  readonly signal: AbortSignal;
  /** Told when the service answered with the file. */
  readonly onResponse: (total: number | undefined) => void;
  /** Told of bytes as they arrive: how many, and how many there are now. */
  readonly onBytes: (received: number, position: number) => void;
  /** Told, perhaps twice, when the last byte has come: what follows needs no connection. */
  readonly onBodyEnd: () => void;
}

/** What takes the bytes of one day file, from its first try to its last. */
export interface BodySink {
  /** To be called before each try: resolves when it has its place, and the memory that it needs. */
  prepare(place: TransferSlot): Promise<void>;
  /** Where the next try goes on; undefined for the beginning. */
  findResumePoint(attempt: number): Promise<ResumePoint | undefined>;
  /**
   * Takes the body. The file gets its name when it is whole and verified; only then its conversion does.
   * @throws TickhaulError.
   */
  receive(one: TransferAttempt, answer: DayFileResponse): Promise<ReceivedFile>;
  /** To be called after a try that failed: what is of no use to the next one goes. */
  onFailure(error: unknown): Promise<void>;
  /** To be called in any case, at the end. */
  close(): Promise<void>;
}

export interface ReceivedFile extends FileChecksums {
  readonly md5Match: boolean | null;
  readonly etag: string | undefined;
  /** What came of the conversion, where one was asked for. */
  readonly outcome: ConversionOutcome | undefined;
  /** How it stands in a store. */
  readonly object?: ObjectVersion | undefined;
  /** Set where only what was made of it is there: it was proven, and never written. */
  readonly isUnwritten?: true | undefined;
}

/** What came, once it is proven to be what was announced and expected. @throws TickhaulError. */
export function assertAsAnnounced(
  { path, expected }: Pick<TransferAttempt, 'path' | 'expected'>,
  { total, md5 }: Pick<DayFileResponse, 'total' | 'md5'>,
  proof: FileChecksums,
): FileChecksums & Pick<ReceivedFile, 'md5Match'> {
  if (total !== undefined && proof.bytes !== total) {
    throw new TickhaulError(
      'corrupt',
      `${path}: ${plural(proof.bytes, 'byte')} came, ${total} were announced`,
    );
  }
  assertExpected(path, expected, proof);
  return { ...proof, md5Match: md5 === undefined ? null : md5 === proof.md5 };
}

/** Errors that say that the bytes themselves are bad: they are of no use to anybody. */
export function isBadContent(error: unknown): error is TickhaulError {
  return error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'changed');
}
