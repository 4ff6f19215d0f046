import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Proof } from '../../integrity/proof.js';
import type { Client } from '../../service/http/client.js';
import type { DatasetAnswer, ResumePoint } from '../../service/types.js';
import type { StoredAs } from '../../store/s3/object-store.js';
import type { Place } from '../../transfer/pool.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import { assertExpected } from '../lists/expected.js';
import type { ExpectedBytes } from '../types.js';

/** One try at one day file. */
export interface Try {
  readonly client: Client;
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
  readonly onAnswer: (total: number | undefined) => void;
  /** Told of bytes as they arrive: how many, and how many there are now. */
  readonly onBytes: (received: number, position: number) => void;
  /** Told, perhaps twice, when the last byte has come: what follows needs no connection. */
  readonly onBodyEnd: () => void;
}

/** What takes the bytes of one day file, from its first try to its last. */
export interface Reception {
  /** To be called before each try: resolves when it has its place, and the memory that it needs. */
  ready(place: Place): Promise<void>;
  /** Where the next try goes on; undefined for the beginning. */
  resumePoint(attempt: number): Promise<ResumePoint | undefined>;
  /**
   * Takes the body. The file gets its name when it is whole and verified; only then its conversion does.
   * @throws TickhaulError.
   */
  take(one: Try, answer: DatasetAnswer): Promise<Received>;
  /** To be called after a try that failed: what is of no use to the next one goes. */
  failed(error: unknown): Promise<void>;
  /** To be called in any case, at the end. */
  end(): Promise<void>;
}

export interface Received extends Proof {
  readonly md5Match: boolean | null;
  readonly etag: string | undefined;
  /** What came of the conversion, where one was asked for. */
  readonly outcome: ConversionOutcome | undefined;
  /** How it stands in a store. */
  readonly object?: StoredAs | undefined;
  /** Set where only what was made of it is there: it was proven, and never written. */
  readonly isUnwritten?: true | undefined;
}

/** What came, once it is proven to be what was announced and expected. @throws TickhaulError. */
export function assertAnnounced(
  { path, expected }: Pick<Try, 'path' | 'expected'>,
  { total, md5 }: Pick<DatasetAnswer, 'total' | 'md5'>,
  proof: Proof,
): Proof & Pick<Received, 'md5Match'> {
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
export function isOfBadBytes(error: unknown): error is TickhaulError {
  return error instanceof TickhaulError && (error.code === 'corrupt' || error.code === 'changed');
}
