import { toFileError } from '../base/file-error.js';
import { withRetries } from '../base/with-retries.js';
import type { EventSink } from '../run/run-events.js';
import type { ConvertFileResult } from './convert-file.js';
import type { ConvertJob } from './convert-job.js';
import type { FileConverter } from './threads/file-converter.js';

/** Total uploads of an output whose upload the store loses. */
const MAX_UPLOADS = 3;

/**
 * Converts one file. If the store lost an upload, the file is converted again, since its source can be read
 * again.
 * @param path of the output, for events.
 * @throws like `FileConverter.convert`; the abort reason.
 */
export function convertWithRetries(
  converter: FileConverter,
  job: ConvertJob,
  path: string,
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<readonly ConvertFileResult[]> {
  let attempt = 0;
  const convertOnce = (): Promise<readonly ConvertFileResult[]> => {
    attempt++;
    let position = 0;
    const onBytes = (received: number, total: number): void => {
      position += received;
      emit({ event: 'progress', path, received, position, total });
    };
    return converter.convert(job, onBytes, signal);
  };
  return withRetries(convertOnce, {
    maxAttempts: MAX_UPLOADS,
    maxWaitMs: 0,
    signal,
    isFile: true,
    mayRetry: ({ code }) => code === 'upload_lost',
    onWait: (waitMs, error) => emit({ event: 'retry', path, attempt, waitMs, error: toFileError(error) }),
  });
}
