import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DIST } from './service.js';

/** Imports a module of the build. */
export function fromDist(path) {
  return import(pathToFileURL(join(DIST, 'src', path)).href);
}

/** Imports a module of its tests, to start and stop servers. */
export function fromTests(path) {
  return import(pathToFileURL(join(DIST, 'test', path)).href);
}

/**
 * The conversion engine, run in this thread. `take` parses whole rows of text; `finish` creates the batch bytes.
 * @param job the kind of file, its path, format and compression.
 */
export async function engineOf({ kind, path, format, compression }) {
  const { createBatchKernel, createOutputOptions, OUTPUT_FORMATS } =
    await fromDist('format/output-formats.js');
  const { dataTypeColumns } = await fromDist('day-files/data-types.js');
  const schema = dataTypeColumns(kind.type);
  const options = createOutputOptions(format, { compression });
  const kernel = await createBatchKernel({ source: path, schema, options });
  return {
    take: (text) => {
      kernel.getPieceBuffer().set(text);
      kernel.parse(text.length);
    },
    finish: () => kernel.finish(),
    batchRows: OUTPUT_FORMATS[format].batches.rows(options, schema.length),
  };
}
