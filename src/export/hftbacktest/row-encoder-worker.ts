import { serveTasks } from '../../base/serve-tasks.js';
import { type EncodedBlock, EventRows, encodeBlock, type RowBlock } from './event-rows.js';

const rows = new EventRows();

serveTasks<RowBlock, EncodedBlock>(
  (block) => encodeBlock(rows, block),
  ({ deflated }) => [deflated.buffer],
);
