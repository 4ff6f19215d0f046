import { toFileError } from '../base/errors.js';
import { withRetries } from '../base/with-retries.js';
import type { EventSink } from '../run/run-events.js';

/** Total uploads of an output whose upload the store loses. */
const MAX_UPLOADS = 3;

/**
 * Writes outputs from their sources. If the store lost an upload, they are written again, since the sources can be read
 * again.
 * @param write called with the sink of progress: the number of compressed bytes just read, and their total.
 * @param path for events.
 * @throws like `write`; the abort reason.
 */
export function withUploadRetries<Result>(
  write: (onBytes: (count: number, total: number) => void) => Promise<Result>,
  path: string,
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<Result> {
  let attempt = 0;
  const writeOnce = (): Promise<Result> => {
    attempt++;
    let position = 0;
    return write((received, total) => {
      position += received;
      emit({ event: 'progress', path, received, position, total });
    });
  };
  return withRetries(writeOnce, {
    maxAttempts: MAX_UPLOADS,
    maxWaitMs: 0,
    signal,
    isFile: true,
    mayRetry: ({ code }) => code === 'upload_lost',
    onWait: (waitMs, error) => emit({ event: 'retry', path, attempt, waitMs, error: toFileError(error) }),
  });
}
