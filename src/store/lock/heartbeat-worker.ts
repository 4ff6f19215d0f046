import { futimesSync, readSync, statSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

export interface HeartbeatOptions {
  /** Descriptor of the lock, open for reading and writing. It must stay open until this thread has ended. */
  readonly fd: number;
  readonly path: string;
  /** Identify the file: if the path leads to another file, or to none, the lock is lost. */
  readonly ino: bigint;
  readonly dev: bigint;
  readonly intervalMs: number;
}

const { fd, path, ino, dev, intervalMs } = workerData as HeartbeatOptions;
const first = Buffer.alloc(1);

const timer = setInterval(() => {
  if (isOurLock()) touch();
  else reportLost();
}, intervalMs);
if (!isOurLock()) reportLost();

/** Rewrites the first byte, so that the file system sets the time, independent of this machine's clock. */
function touch(): void {
  try {
    readSync(fd, first, 0, 1, 0);
    writeSync(fd, first, 0, 1, 0);
  } catch {
    // On a full disk even rewriting the same byte may fail.
    const now = new Date();
    futimesSync(fd, now, now);
  }
}

function reportLost(): void {
  clearInterval(timer);
  parentPort?.postMessage('lost');
}

function isOurLock(): boolean {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.ino === ino && stats.dev === dev;
}
