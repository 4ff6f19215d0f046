import { TickhaulError } from '../../src/base/errors.js';
import { serveJobs } from '../../src/base/serve-jobs.js';
import { waitForAbort } from '../../src/base/wait.js';

/** Jobs of the tests' thread. */
export type TestJob =
  | { readonly kind: 'double'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fail'; readonly isKnown: boolean }
  | { readonly kind: 'wait for abort' }
  | { readonly kind: 'crash' };

serveJobs<TestJob, Uint8Array<ArrayBuffer>, string>(
  async (job, { emit, signal }) => {
    switch (job.kind) {
      case 'double':
        emit(`${job.bytes.length} bytes`);
        return job.bytes.map((byte) => 2 * byte);
      case 'fail':
        throw job.isKnown ? new TickhaulError('rejected', 'no', { status: 400 }) : new RangeError('wrong');
      case 'wait for abort':
        emit('waiting');
        await waitForAbort(signal);
        return new Uint8Array();
      case 'crash':
        setImmediate(() => {
          throw new Error('broken');
        });
        return new Promise(() => {});
    }
  },
  (bytes) => [bytes.buffer],
);
