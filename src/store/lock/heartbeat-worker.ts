import { futimesSync, readSync, statSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

export interface HeartbeatOptions {
  /** To touch: open for reading and writing, and closed only when this thread has ended. */
  readonly fd: number;
  readonly path: string;
  /** Of that file: where another one took its name, or none is left, the lock is lost. */
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

/** Writes what is there already: the time is then the file system's own, whatever the clock of this machine says. */
function touch(): void {
  try {
    readSync(fd, first, 0, 1, 0);
    writeSync(fd, first, 0, 1, 0);
  } catch {
    // A disk so full that even the same bytes find no room.
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
