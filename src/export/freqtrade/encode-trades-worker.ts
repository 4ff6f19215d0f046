import { serveJobs } from '../../base/serve-jobs.js';
import type { EncodedRecordBatch } from '../../format/arrow/record-batch.js';
import { encodeTrades, type TradeBatch } from './encode-trades.js';

serveJobs<TradeBatch, EncodedRecordBatch>(encodeTrades, ({ bytes }) => [bytes.buffer as ArrayBuffer]);
