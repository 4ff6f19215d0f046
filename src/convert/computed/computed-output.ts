import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { OutputOptions } from '../../format/output-options.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import { type ConversionSink, createOutputWriter } from '../output/conversion-sink.js';
import { formatProvenance, type Provenance } from '../output/provenance.js';
import { computedColumns } from './computed-columns.js';
import { getEncoder } from './encoder-cache.js';
import { RowBuilder } from './row-builder.js';

/** Output file of one computed type. Full batches of rows are held in memory until `flush`. */
export interface ComputedOutput {
  readonly type: ComputedType;
  /** @param put appends the result as one row. */
  addResult<Result>(result: Result, put: (result: Result, rows: RowBuilder) => void): void;
  /** Writes the full batches. */
  flush(): Promise<void>;
  /** Writes the rest; `file.publish` may be called then. Returns the provenance record, too. */
  finish(
    record: Omit<Provenance, 'dataType' | 'rows'>,
  ): Promise<{ rows: number; bytes: number; provenance: Readonly<Record<string, string>> }>;
}

export async function openComputedOutput(
  type: ComputedType,
  file: ConversionSink,
  options: OutputOptions,
): Promise<ComputedOutput> {
  const schema = computedColumns(type);
  const encode = await getEncoder(schema, options);
  const writer = await createOutputWriter(file, schema, options);
  const rows = new RowBuilder(schema, options.numbers);
  const batchRows = OUTPUT_FORMATS[options.format].batches.rows(options, schema.length);
  let total = 0;
  let encodedBatches: EncodedBatch[] = [];

  const encodeBatch = (): void => {
    total += rows.rows;
    const encoded = encode(rows.takeBatch());
    // Copy: the encoder's memory is reused, also by other outputs, before the bytes are written.
    encodedBatches.push({ ...encoded, bytes: encoded.bytes.slice() });
  };
  const flush = async (): Promise<void> => {
    const batches = encodedBatches;
    encodedBatches = [];
    for (const encoded of batches) await writer.write(encoded);
  };
  return {
    type,
    addResult(result, put) {
      put(result, rows);
      if (rows.rows === batchRows) encodeBatch();
    },
    flush,
    async finish(record) {
      if (rows.rows > 0) encodeBatch();
      await flush();
      const provenance = formatProvenance({ ...record, dataType: type.name, rows: total });
      const written = await writer.finish(provenance);
      if (written.rows !== total)
        throw new Error(`${type.name}: ${written.rows} of ${total} rows were written`);
      return { ...written, provenance };
    },
  };
}
