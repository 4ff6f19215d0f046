import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { verifyBytes } from '../../integrity/verify-bytes.js';
import { type FileChecksums, startVerification } from '../../integrity/verify-file.js';
import type { DayFileResponse } from '../../service/service-config.js';
import { assertAsAnnounced, type ReceivedFile, type TransferAttempt } from './body-sink.js';

/** Bytes of a whole file that is worth streams, and to be gone on with. */
export const MIN_BYTES_TO_STREAM = 64 * 1024;

type SizedResponse = DayFileResponse & { readonly total: number };

/** Whether a file is so small that streams would cost more than its bytes. */
export function isSmallFile(answer: DayFileResponse): answer is SizedResponse {
  const { start, total } = answer;
  return start === 0 && total !== undefined && total < MIN_BYTES_TO_STREAM;
}

/** The bytes of a small day file in one piece, proven: nothing of it is written before. @throws TickhaulError. */
export async function receiveSmallFile(
  one: TransferAttempt,
  answer: SizedResponse,
): Promise<{ readonly bytes: Buffer; readonly received: ReceivedFile }> {
  const bytes = await readWholeBody(one, answer);
  const proof = verifyBytes(bytes) ?? (await verifyLongText(bytes));
  const received = { ...assertAsAnnounced(one, answer, proof), etag: answer.resumeEtag, outcome: undefined };
  return { bytes, received };
}

async function readWholeBody(one: TransferAttempt, { body, total }: SizedResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    await one.rate(chunk.length, one.signal);
    chunks.push(chunk);
    length += chunk.length;
    one.onBytes(chunk.length, length);
    if (length > total) {
      throw new TickhaulError(
        'corrupt',
        `${one.path}: more than the ${plural(total, 'announced byte')} came`,
      );
    }
    if (length === total) one.onBodyEnd();
  }
  one.onBodyEnd();
  return Buffer.concat(chunks);
}

/** A text of many megabytes, in few bytes: not in one go. */
async function verifyLongText(bytes: Buffer): Promise<FileChecksums> {
  const pass = startVerification();
  try {
    await pass.write(bytes);
    return await pass.finish();
  } finally {
    await pass.destroy();
  }
}
