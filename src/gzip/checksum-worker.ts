import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import { type BytesFacts, Checksums, type HashName } from './checksums.js';

/** Bytes that follow the last ones, or the request of the result. */
export type ChecksumJob = Uint8Array<ArrayBuffer> | 'finish';

/** The bytes, whose memory is returned, or the result. */
export type ChecksumResult = Uint8Array<ArrayBuffer> | BytesFacts<HashName>;

const checksums = new Checksums(workerData as readonly HashName[]);

serveTasks<ChecksumJob, ChecksumResult>(
  (job) => {
    if (job === 'finish') return checksums.finish();
    checksums.add(job);
    return job;
  },
  (result) => (result instanceof Uint8Array ? [result.buffer] : []),
);
