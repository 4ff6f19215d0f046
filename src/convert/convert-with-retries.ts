import { toFileError } from '../base/file-error.js';
import { withRetries } from '../base/with-retries.js';
import type { EventSink } from '../run/run-events.js';
import type { ConvertFileResult } from './convert-file.js';
import type { ConvertJob } from './convert-job.js';
import type { ConvertThread } from './threads/convert-thread.js';

/** Total uploads of an output whose upload the store loses. */
const MAX_UPLOADS = 3;

/**
 * Converts one file. If the store lost an upload, the file is converted again, since its source can be read
 * again.
 * @param path of the output, for events.
 * @throws like `ConvertThread.convert`; the abort reason.
 */
export function convertWithRetries(
  thread: ConvertThread,
  job: ConvertJob,
  path: string,
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<readonly ConvertFileResult[]> {
  let attempt = 0;
  const convertOnce = (): Promise<readonly ConvertFileResult[]> => {
    attempt++;
    let position = 0;
    return thread.convert(job, (received, total) => {
      position += received;
      emit({ event: 'progress', path, received, position, total });
    });
  };
  return withRetries(convertOnce, {
    maxAttempts: MAX_UPLOADS,
    maxWaitMs: 0,
    signal,
    mayRetry: ({ code }) => code === 'upload_lost',
    onWait: (waitMs, error) => emit({ event: 'retry', path, attempt, waitMs, error: toFileError(error) }),
  });
}
