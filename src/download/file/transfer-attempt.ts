import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { yieldToEventLoop } from '../../base/wait.js';
import type { DayFile } from '../../day-files/day-file.js';
import { createStartCheck } from '../../format/csv/start-check.js';
import {
  type FileChecksums,
  startVerification,
  type TextCheck,
  verifyBytes,
} from '../../gzip/verify-file.js';
import type { ByteRateLimit } from '../../http/concurrency.js';
import type { DayFileResponse } from '../../service/service-client.js';
import type { StoredVersion } from '../../store/files.js';
import type { ConversionOutcome } from '../conversion/conversions.js';
import type { ExpectedBytes } from '../download-options.js';

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

/** Minimum size of a file for streaming and resuming. */
const MIN_BYTES_TO_STREAM = 64 * 1024;

type SizedResponse = DayFileResponse & { readonly total: number };

/** Whether streaming a file would cost more than buffering it. */
export function isSmallFile(response: DayFileResponse): response is SizedResponse {
  const { start, total } = response;
  return start === 0 && total !== undefined && total < MIN_BYTES_TO_STREAM;
}

/** Receives and verifies a small day file in memory, before anything is written. @throws TickhaulError. */
export async function receiveSmallFile(
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
