import { TickhaulError } from '../../src/base/errors.js';
import { serveTasks } from '../../src/base/serve-tasks.js';
import { waitForAbort } from '../../src/base/wait.js';

/** Jobs of the tests' thread. */
export type TestJob =
  | { readonly kind: 'double'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fail'; readonly isKnown: boolean }
  | { readonly kind: 'add messages' }
  | { readonly kind: 'wait for abort' }
  | { readonly kind: 'crash' };

serveTasks<TestJob, Uint8Array<ArrayBuffer>, string, Uint8Array>(
  async (job, { emit, ask, messages, signal }) => {
    switch (job.kind) {
      case 'double':
        emit(`${job.bytes.length} bytes`);
        return job.bytes.map((byte) => 2 * byte);
      case 'fail':
        throw job.isKnown ? new TickhaulError('rejected', 'no', { status: 400 }) : new RangeError('wrong');
      case 'add messages': {
        const bytes: number[] = [];
        for (let message = await messages.next(); message; message = await messages.next()) {
          bytes.push(...message);
          if (message.length === 0) return Uint8Array.from(bytes);
          if ((await ask(`${bytes.length} bytes`)) === 'stop') throw new RangeError('stopped');
        }
        return new Uint8Array(1);
      }
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
