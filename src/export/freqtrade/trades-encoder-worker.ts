import { serveJobs } from '../../base/serve-jobs.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import type { TradeRows } from './trade-columns.js';
import { TradesEncoder } from './trades-encoder.js';

const encoder = new TradesEncoder();

serveJobs<TradeRows, EncodedRecordBatch>(
  (trades) => {
    const encoded = encoder.encode(trades);
    return { ...encoded, bytes: Uint8Array.from(encoded.bytes) };
  },
  ({ bytes }) => [bytes.buffer as ArrayBuffer],
);
