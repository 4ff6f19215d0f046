import { WorkerThread } from '../base/worker-thread.js';
import type { ChecksumJob, ChecksumResult } from './checksum-worker.js';
import type { BytesFacts, HashName } from './checksums.js';

/** Chunks that a thread has not processed yet. */
const MAX_PENDING_CHUNKS = 4;

/** `Checksums` in another thread, which the caller must close. Its errors are thrown by later calls. */
export class ChecksumThread<Name extends HashName> {
  readonly #thread: WorkerThread<ChecksumJob, ChecksumResult>;
  readonly #pending: Promise<void>[] = [];
  /** Memory that the thread has returned: touching new memory takes longer than the copy. */
  readonly #free: ArrayBuffer[] = [];

  constructor(names: readonly Name[]) {
    const url = new URL('./checksum-worker.js', import.meta.url);
    this.#thread = new WorkerThread(url, { name: 'checksum', workerData: names });
  }

  /** Takes a chunk; it may be overwritten afterwards. Resolves when the next one can be taken. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    const taken = this.#post(chunk);
    taken.catch(() => {});
    this.#pending.push(taken);
    return this.#pending.length > MAX_PENDING_CHUNKS ? this.#pending.shift() : undefined;
  }

  async finish(): Promise<BytesFacts<Name>> {
    const facts = await this.#thread.run('finish');
    if (facts instanceof Uint8Array) throw new Error('the checksum thread returned no checksum');
    return facts;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #post(chunk: Uint8Array): Promise<void> {
    const { length } = chunk;
    const used = this.#free.pop();
    const memory = used && used.byteLength >= length ? used : new ArrayBuffer(length);
    const copy = new Uint8Array(memory, 0, length);
    copy.set(chunk);
    const returned = await this.#thread.run(copy, { transfer: [memory] });
    if (returned instanceof Uint8Array) this.#free.push(returned.buffer);
  }
}
