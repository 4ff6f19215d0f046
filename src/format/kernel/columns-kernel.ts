import type { Batch } from '../columns.js';
import { loadCompressor } from '../compression/compressor.js';
import { BatchBuilder } from '../csv/batch-builder.js';
import { rowError } from '../csv/errors.js';
import { linesOf } from '../csv/quoted.js';
import { parseRows, READ_AHEAD } from '../csv/rows.js';
import { createNdjsonEncoder } from '../ndjson/encoder.js';
import { batchRows } from '../options.js';
import { createRowGroupEncoder } from '../parquet/row-group.js';
import { type BatchKernel, type Encoded, type KernelJob, PIECE_ROOM } from './types.js';

const LF = 10;
const CR = 13;

/** Text to columns, and columns to bytes, in plain TypeScript: it stands in for the kernels that are still to come. */
export async function createColumnsKernel(job: KernelJob): Promise<BatchKernel> {
  const { schema, options } = job;
  const encode = await encoderOf(job);
  const capacity = batchRows(options, schema.length);
  const numberText = options.format === 'ndjson' || options.numbers === 'string';
  const names = schema.map(({ name }) => name);
  const bytes = Buffer.alloc(PIECE_ROOM + 1 + READ_AHEAD);
  let batch: BatchBuilder | undefined;
  let ended: Encoded[] = [];

  const open = (): BatchBuilder => {
    if (batch?.full) {
      const encoded = encode(batch.finish());
      ended.push({ ...encoded, bytes: encoded.bytes.slice() });
      batch = undefined;
    }
    batch ??= new BatchBuilder(schema, capacity, numberText);
    return batch;
  };
  const takeEnded = (): readonly Encoded[] => {
    const out = ended;
    ended = [];
    return out;
  };
  const fail = (cells: readonly Uint8Array[], column: number, problem: string | undefined) =>
    rowError({ source: kernel.source, line: kernel.line }, names, cells, column, problem);

  const kernel: BatchKernel = {
    source: job.source,
    line: 2,
    piece: () => bytes.subarray(0, PIECE_ROOM),
    take(length) {
      let end = length;
      if (end > 0 && bytes[end - 1] !== LF) bytes[end++] = LF;
      for (let position = 0; position < end; ) {
        const into = open();
        const before = into.row;
        const parsed = parseRows(into, bytes, position, end);
        kernel.line += into.row - before;
        if (parsed.refused) {
          const { start, column, problem } = parsed.refused;
          const from = start === 0 ? 0 : bytes.lastIndexOf(LF, start - 1) + 1;
          throw fail(splitLine(bytes.subarray(from, bytes.indexOf(LF, start))), column, problem);
        }
        position = parsed.position;
      }
      return takeEnded();
    },
    takeRow(cells) {
      if (cells.length !== schema.length) throw fail(cells, 0, undefined);
      const into = open();
      for (const [column, cell] of cells.entries()) {
        const source = Buffer.from(cell);
        const problem = into.append(column, source, 0, source.length);
        if (problem !== undefined) throw fail(cells, column, problem);
      }
      into.row++;
      kernel.line += linesOf(cells);
      return takeEnded();
    },
    finish() {
      const encoded = batch && batch.row > 0 ? encode(batch.finish()) : undefined;
      batch = undefined;
      return encoded;
    },
  };
  return kernel;
}

async function encoderOf({ schema, options }: KernelJob): Promise<(batch: Batch) => Encoded> {
  const { compression, numbers } = options;
  if (options.format === 'parquet') {
    const times = options.times === 'int' ? 'int' : 'timestamp';
    return createRowGroupEncoder({ schema, compression, numbers, times });
  }
  const times = options.times === 'iso' ? 'iso' : 'int';
  const encode = createNdjsonEncoder(schema, { times, numbers, results: compression === 'none' ? 2 : 1 });
  if (compression === 'none') return (batch) => ({ rows: batch.rows, bytes: encode(batch), columns: [] });
  const compress = await loadCompressor(compression);
  return (batch) => ({
    rows: batch.rows,
    bytes: new Uint8Array(compress(encode(batch), 'fast')),
    columns: [],
  });
}

/** The cells of a line without quotes and without its LF. */
function splitLine(line: Buffer): Buffer[] {
  const whole = line.at(-1) === CR ? line.subarray(0, -1) : line;
  const cells: Buffer[] = [];
  let start = 0;
  for (;;) {
    const comma = whole.indexOf(0x2c, start);
    if (comma < 0) break;
    cells.push(whole.subarray(start, comma));
    start = comma + 1;
  }
  cells.push(whole.subarray(start));
  return cells;
}
