import { createHash } from 'node:crypto';
import { WorkerThread } from '../base/worker-thread.js';
import type { Md5Job, Md5Result } from './md5-worker.js';

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
  const thread = new WorkerThread<Md5Job, Md5Result>(new URL('./md5-worker.js', import.meta.url), {
    name: 'checksum',
  });
  const pending: Promise<void>[] = [];
  /** Memory that the thread has returned: touching new memory takes longer than the copy. */
  const free: ArrayBuffer[] = [];
  const post = async (chunk: Buffer): Promise<void> => {
    const { length } = chunk;
    const used = free.pop();
    const memory = used && used.byteLength >= length ? used : new ArrayBuffer(length);
    const copy = new Uint8Array(memory, 0, length);
    copy.set(chunk);
    const returned = await thread.run(copy, { transfer: [memory] });
    if (typeof returned !== 'string') free.push(returned.buffer);
  };
  return {
    update(chunk) {
      const taken = post(chunk);
      taken.catch(() => {});
      pending.push(taken);
      return pending.length > MAX_PENDING_CHUNKS ? pending.shift() : undefined;
    },
    async digest() {
      const digest = await thread.run('digest');
      if (typeof digest !== 'string') throw new Error('the checksum thread returned no checksum');
      return digest;
    },
    close: () => thread.close(),
  };
}
