import { createHash } from 'node:crypto';
import { WorkerThread } from '../base/worker-thread.js';
import type { Md5Job } from './md5-worker.js';

/** Computes the md5 of bytes that arrive in chunks. */
export interface Md5Pass {
  /** Takes a chunk; it may be overwritten afterwards. Resolves when the next one can be taken. */
  update(chunk: Buffer): Promise<void> | undefined;
  /** In hex digits. */
  digest(): Promise<string>;
  close(): Promise<void>;
}

/** Chunks that a thread has not processed yet. */
const MAX_PENDING_CHUNKS = 4;

/** Computes the md5 in the calling thread. */
export function startLocalMd5(): Md5Pass {
  const md5 = createHash('md5');
  return {
    update(chunk) {
      md5.update(chunk);
      return undefined;
    },
    digest: async () => md5.digest('hex'),
    close: async () => {},
  };
}

/** Computes the md5 in a thread, which the caller must close. Errors of the thread are thrown by later calls. */
export function startMd5Thread(): Md5Pass {
  const thread: WorkerThread<Md5Job, string> = new WorkerThread(new URL('./md5-worker.js', import.meta.url), {
    name: 'checksum',
  });
  const pending: Promise<unknown>[] = [];
  return {
    update(chunk) {
      const copy = Uint8Array.from(chunk);
      const taken = thread.run(copy, { transfer: [copy.buffer] });
      taken.catch(() => {});
      pending.push(taken);
      return pending.length > MAX_PENDING_CHUNKS ? pending.shift()?.then(() => {}) : undefined;
    },
    digest: () => thread.run('digest'),
    close: () => thread.close(),
  };
}
