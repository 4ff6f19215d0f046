import type { Schema } from '../../format/batch.js';
import type { OutputStream, OutputWriter } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { OutputOptions } from '../../format/output-options.js';
import type { PartFile } from '../../store/files.js';

/** Destination of a conversion: a file, or a stream of the rows of several files. */
export type ConversionSink =
  | PartFile
  | (Pick<PartFile, 'publish' | 'discard'> & Pick<OutputStream, 'createWriter'>);

/** Creates the writer of a conversion's rows. @throws as `OutputStream.createWriter` does. */
export function createOutputWriter(
  output: ConversionSink,
  schema: Schema,
  options: OutputOptions,
): Promise<OutputWriter> {
  if ('createWriter' in output) return output.createWriter(schema);
  return OUTPUT_FORMATS[options.format].createWriter(output, schema, options, output.location);
}
