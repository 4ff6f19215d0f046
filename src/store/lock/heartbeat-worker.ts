import { futimesSync, readSync, statSync, writeSync } from 'node:fs';
import { serveJobs } from '../../base/serve-jobs.js';
import { wait } from '../../base/wait.js';

/** Updates a lock regularly. The job ends when the lock is lost. */
export interface HeartbeatJob {
  /** Descriptor of the lock, open for reading and writing. It must stay open until this thread has ended. */
  readonly fd: number;
  readonly path: string;
  /** Identify the file: if the path leads to another file, or to none, the lock is lost. */
  readonly ino: bigint;
  readonly dev: bigint;
  readonly intervalMs: number;
}

const first = Buffer.alloc(1);

serveJobs(async (job: HeartbeatJob) => {
  while (isOurLock(job)) {
    touch(job.fd);
    await wait(job.intervalMs);
  }
});

/** Rewrites the first byte, so that the file system sets the time, independent of this machine's clock. */
function touch(fd: number): void {
  try {
    readSync(fd, first, 0, 1, 0);
    writeSync(fd, first, 0, 1, 0);
  } catch {
    // On a full disk even rewriting the same byte may fail.
    const now = new Date();
    futimesSync(fd, now, now);
  }
}

function isOurLock({ path, ino, dev }: HeartbeatJob): boolean {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.ino === ino && stats.dev === dev;
}
