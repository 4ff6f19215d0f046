import { TickhaulError } from '../../base/errors.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Proof } from '../../integrity/proof.js';
import type { Client } from '../../service/http/client.js';
import type { DatasetAnswer } from '../../service/types.js';
import type { ResumeNote } from '../../store/part.js';
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

/** What came, once it is proven to be what was announced and expected. @throws TickhaulError. */
export function assertAnnounced(
  { path, expected }: Try,
  { total, md5 }: DatasetAnswer,
  proof: Proof,
): Omit<Received, 'etag' | 'outcome'> {
  if (total !== undefined && proof.bytes !== total) {
    throw new TickhaulError('corrupt', `${path}: ${proof.bytes} bytes came, ${total} were announced`);
  }
  assertExpected(path, expected, proof);
  return { ...proof, md5Match: md5 === undefined ? null : md5 === proof.md5 };
}
