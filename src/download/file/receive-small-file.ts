import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { yieldToEventLoop } from '../../base/wait.js';
import { createStartCheck } from '../../format/csv/start-check.js';
import { verifyBytes } from '../../integrity/verify-bytes.js';
import { type FileChecksums, startVerification, type TextCheck } from '../../integrity/verify-file.js';
import type { DayFileResponse } from '../../service/service-config.js';
import { assertAsAnnounced, type ReceivedFile, type TransferAttempt } from './body-sink.js';

/** Minimum size of a file for streaming and resuming. */
export const MIN_BYTES_TO_STREAM = 64 * 1024;

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
  const proof = verifyBytes(bytes, check) ?? (await verifyLongText(bytes, check));
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
