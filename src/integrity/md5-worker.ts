import { createHash } from 'node:crypto';
import { serveJobs } from '../base/serve-jobs.js';

/** Bytes that follow the last ones, or the request of the checksum. */
export type Md5Job = Uint8Array<ArrayBuffer> | 'digest';

/** The bytes, whose memory is returned, or the checksum in hex digits. */
export type Md5Result = Uint8Array<ArrayBuffer> | string;

const md5 = createHash('md5');

serveJobs<Md5Job, Md5Result>(
  (job) => {
    if (job === 'digest') return md5.digest('hex');
    md5.update(job);
    return job;
  },
  (result) => (typeof result === 'string' ? [] : [result.buffer]),
);
