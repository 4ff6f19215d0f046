import { serveJobs } from '../../base/serve-jobs.js';
import { type EncodedBlock, encodeBlock, type RowBlock } from './encode-block.js';
import { EventRows } from './event-rows.js';

const rows = new EventRows();

serveJobs<RowBlock, EncodedBlock>(
  (block) => encodeBlock(rows, block),
  ({ deflated }) => [deflated.buffer],
);
