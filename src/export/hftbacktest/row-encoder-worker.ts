import { serveJobs } from '../../base/serve-jobs.js';
import { type EncodedBlock, EventRows, encodeBlock, type RowBlock } from './event-rows.js';

const rows = new EventRows();

serveJobs<RowBlock, EncodedBlock>(
  (block) => encodeBlock(rows, block),
  ({ deflated }) => [deflated.buffer],
);
