import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TICKHAUL } from './service.js';

/** A module of the built product. */
export function fromDist(path) {
  return import(pathToFileURL(join(dirname(TICKHAUL), '..', 'src', path)).href);
}

/**
 * The product's engine by hand, in this thread. `take` parses whole rows of text; `finish` makes the batch bytes.
 * Where the two kernels are, it is theirs; before, the parser's and the encoder's.
 * @param job the kind of file, its path, format and compression.
 */
export async function engineOf({ kind, path, format, compression }) {
  const { batchRows, convertOptions } = await fromDist('format/options.js');
  const { columnsOf } = await fromDist('dataset/data-types.js');
  const schema = columnsOf(kind.type);
  const options = convertOptions(format, { compression });
  const rows = batchRows(options, schema.length);
  const job = { source: path, schema, options };
  const kernels = await fromDist('format/kernel/batch-kernel.js').catch(() => undefined);
  const engine = kernels ? await ofKernel(kernels, job) : await ofParser(kind, job, rows);
  return { ...engine, batchRows: rows };
}

async function ofKernel({ createBatchKernel }, job) {
  const kernel = await createBatchKernel(job);
  return {
    take: (text) => {
      kernel.piece().set(text);
      kernel.take(text.length);
    },
    finish: () => kernel.finish(),
  };
}

async function ofParser({ header, type }, { source, schema, options }, batchRows) {
  const { CsvParser } = await fromDist('format/csv/parser.js');
  const { createBatchEncoder } = await fromDist('convert/threads/batch-encoder.js');
  const encode = await createBatchEncoder(schema, options, 1);
  const parser = new CsvParser({
    source,
    dataType: type,
    batchRows,
    numberText: options.format === 'ndjson',
  });
  parser.push(Buffer.from(header));
  let batches = [];
  return {
    take: (text) => {
      batches.push(...parser.push(text));
    },
    finish: () => {
      // The parser ends a full batch by itself; the last one is not full.
      for (const batch of batches.length > 0 ? batches : parser.end()) encode(batch);
      batches = [];
    },
  };
}
