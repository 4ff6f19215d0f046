import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { HeartbeatOptions } from './heartbeat-worker.js';

/** Keeps a file's time of change fresh, from a thread of its own: a busy event loop doesn't hold it up. */
export interface Heartbeat {
  /** Resolves when the file is no longer touched. */
  stop(): Promise<void>;
}

/**
 * What part of the time between two heartbeats goes by before there is a thread: most runs end sooner, and to start one
 * is much of what they cost.
 */
const THREAD_START_FRACTION = 1 / 30;

/**
 * @param handle of the file that stands at the path, open for reading and writing.
 * @param onLost told once, when another file stands there, or none.
 */
export async function startHeartbeat(
  handle: FileHandle,
  path: string,
  everyMs: number,
  onLost: () => void,
): Promise<Heartbeat> {
  const { ino, dev } = await handle.stat({ bigint: true });
  const workerData: HeartbeatOptions = { fd: handle.fd, path, ino, dev, intervalMs: everyMs };
  let worker: Worker | undefined;
  const timer = setTimeout(() => {
    worker = new Worker(new URL('./heartbeat-worker.js', import.meta.url), { workerData });
    worker.once('message', onLost);
    // A thread that can't go on leaves a lock that looks dead in the end; the work that it guards is still right.
    worker.on('error', () => {});
    worker.unref();
  }, everyMs * THREAD_START_FRACTION);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      await worker?.terminate();
    },
  };
}
