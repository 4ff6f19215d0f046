export type { ColumnSummary } from './column-summary.js';
export type { Bound } from './column-type.js';
export { type ParquetFooter, readParquetFooter } from './footer.js';
export {
  createRowGroupEncoder,
  type EncodedRowGroup,
  type ParquetOptions,
} from './row-group.js';
export { fileSink, memorySink, type Sink } from './sink.js';
export { createParquetWriter, type ParquetWriter } from './writer.js';
