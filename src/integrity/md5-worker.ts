import { createHash } from 'node:crypto';
import { serveJobs } from '../base/serve-jobs.js';

/** Bytes that follow the last ones, or the request of the checksum. */
export type Md5Job = Uint8Array | 'digest';

const md5 = createHash('md5');

/** The result is the checksum in hex digits; empty for bytes. */
serveJobs<Md5Job, string>((job) => {
  if (job === 'digest') return md5.digest('hex');
  md5.update(job);
  return '';
});
