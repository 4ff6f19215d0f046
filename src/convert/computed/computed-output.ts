import { type ConvertOptions, chooseBatchRows } from '../../format/convert-options.js';
import type { EncodedBatch } from '../../format/kernel/batch-kernel.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { PartFile } from '../../store/files.js';
import { createOutputWriter, type OutputWriter } from '../output/output-writer.js';
import { formatProvenance, type Provenance } from '../output/provenance.js';
import { computedColumns } from './computed-columns.js';
import { getEncoder } from './encoder-cache.js';
import { RowBuilder } from './row-builder.js';

/** One computed type on its way to a file. Rows come in by `add`, as they are made; what is full waits for `flush`. */
export interface ComputedOutput {
  readonly type: ComputedType;
  /** @param put writes one row. */
  addResult<Result>(result: Result, put: (result: Result, rows: RowBuilder) => void): void;
  /** Writes what is full. */
  flush(): Promise<void>;
  /** Ends the output, which `file.publish` may name then. Gives its record too. */
  finish(
    record: Omit<Provenance, 'dataType' | 'rows'>,
  ): Promise<{ rows: number; bytes: number; note: Readonly<Record<string, string>> }>;
}

export async function openComputedOutput(
  type: ComputedType,
  file: PartFile,
  options: ConvertOptions,
): Promise<ComputedOutput> {
  const schema = computedColumns(type);
  const encode = await getEncoder(schema, options);
  const writer: OutputWriter = await createOutputWriter(file, schema, options);
  const rows = new RowBuilder(schema, options.numbers);
  const full = chooseBatchRows(options, schema.length);
  let total = 0;
  let waiting: EncodedBatch[] = [];

  const end = (): void => {
    total += rows.rows;
    const encoded = encode(rows.take());
    // The encoder's memory is used again, by other outputs too, before this is written.
    waiting.push({ ...encoded, bytes: encoded.bytes.slice() });
  };
  const flush = async (): Promise<void> => {
    const ready = waiting;
    waiting = [];
    for (const encoded of ready) await writer.write(encoded);
  };
  return {
    type,
    addResult(result, put) {
      put(result, rows);
      if (rows.rows === full) end();
    },
    flush,
    async finish(record) {
      if (rows.rows > 0) end();
      await flush();
      const whole = { ...record, dataType: type.name, rows: total };
      const written = await writer.finish(whole);
      if (written.rows !== total)
        throw new Error(`${type.name}: ${total} rows were made and ${written.rows} written`);
      return { ...written, note: formatProvenance(whole) };
    },
  };
}
