import type { FileHandle } from 'node:fs/promises';
import { WorkerThread } from '../../base/worker-thread.js';
import type { HeartbeatJob } from './heartbeat-worker.js';

/** Updates a file's modification time from its own thread, so that a busy event loop does not delay it. */
export interface Heartbeat {
  /** Resolves when the file is no longer updated. */
  stop(): Promise<void>;
}

/**
 * Fraction of the interval after which the thread starts. Most runs end earlier, and starting a thread would
 * be a large part of their cost.
 */
const THREAD_START_FRACTION = 1 / 30;

/**
 * @param handle of the file at the path, open for reading and writing.
 * @param onLost called once if the path leads to another file, or to none.
 */
export async function startHeartbeat(
  handle: FileHandle,
  path: string,
  intervalMs: number,
  onLost: () => void,
): Promise<Heartbeat> {
  const { ino, dev } = await handle.stat({ bigint: true });
  let thread: WorkerThread<HeartbeatJob> | undefined;
  const timer = setTimeout(() => {
    thread = new WorkerThread(new URL('./heartbeat-worker.js', import.meta.url), { name: 'heartbeat' });
    thread.unref();
    // If the thread fails, the lock becomes stale; the work of this run is still valid.
    thread.run({ fd: handle.fd, path, ino, dev, intervalMs }).then(onLost, () => {});
  }, intervalMs * THREAD_START_FRACTION);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      await thread?.close();
    },
  };
}
