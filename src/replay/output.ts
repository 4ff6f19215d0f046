import type { Writable } from 'node:stream';
import { diskError, isSystemError } from '../base/errors.js';
import type { LineSink } from '../market/lines/line-sink.js';

/** The reader of a stream has left, which is a normal end. */
export class ReaderGone extends Error {}

/** Lines to a stream; a write ends when the reader has taken it. @throws ReaderGone from `write`; `disk`. */
export function streamOutput(output: Writable): LineSink {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        output.write(bytes, (error) => {
          if (!error) resolve();
          else if (isSystemError(error) && error.code === 'EPIPE') reject(new ReaderGone());
          else reject(diskError(error, 'stdout'));
        });
      }),
  };
}
