import { basename } from 'node:path';
import type { Batch } from '../format/columns.js';
import { DayFileReader } from '../format/csv/day-file-reader.js';
import { batchRows, type ConvertOptions } from '../format/options.js';
import { createOutputWriter, type OutputWriter } from './output/output.js';
import type { PartFile } from './output/part-file.js';
import { formatRecord } from './output/record.js';
import type { Encoder, EncoderHost } from './threads/encoder.js';
import { localEncoderHost } from './threads/local-encoder.js';

export interface ConversionInput {
  /** The source's path, for messages and the record. */
  readonly path: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  /** Opened by the caller; closed and published, or discarded, by the conversion. */
  readonly output: PartFile;
  /** Closed by the conversion; this thread by default. */
  readonly encoderHost?: EncoderHost | undefined;
}

export interface Converted {
  readonly rows: number;
  /** Of the output. */
  readonly bytes: number;
  readonly dataType: string;
  /** What the output was made from, and how. */
  readonly note: Readonly<Record<string, string>>;
  /** Names columns that the data type isn't known to have. */
  readonly warning: string | undefined;
}

/** One day file's conversion, fed with its gunzipped text as it comes. Calls must not overlap. */
export interface Conversion {
  /** Resolves when more may come; the chunk may be reused then. */
  write(text: Buffer): Promise<void>;
  /** To be called when the source was proven whole: gives the output its name. */
  finish(source: { readonly bytes: number; readonly md5: string }): Promise<Converted>;
  /** Leaves nothing behind; after `finish`, it does nothing. */
  abort(): Promise<void>;
}

/**
 * Begins a conversion.
 * @throws from `write` and `finish`, TickhaulError `corrupt`, naming line, column and cell; `disk`; `usage` for
 * an empty file whose data type nothing tells. After that, only `abort` may be called.
 */
export function startConversion(input: ConversionInput): Conversion {
  return new FileConversion(input);
}

class FileConversion implements Conversion {
  readonly #input: ConversionInput;
  readonly #reader: DayFileReader;
  readonly #host: EncoderHost;
  #encoder: Encoder | undefined;
  #writer: OutputWriter | undefined;
  /** Batches under way, in order; each resolves when it is written. */
  #pending: Promise<void>[] = [];

  constructor(input: ConversionInput) {
    const { path, dataType, options } = input;
    this.#input = input;
    this.#host = input.encoderHost ?? localEncoderHost;
    this.#reader = new DayFileReader({
      path,
      dataType,
      batchRows: (columns) => batchRows(options, columns),
      numberText: options.format === 'ndjson' || options.numbers === 'string',
    });
  }

  async write(text: Buffer): Promise<void> {
    await this.#take(this.#reader.push(text));
  }

  async finish(source: { readonly bytes: number; readonly md5: string }): Promise<Converted> {
    const { path, options, output } = this.#input;
    await this.#take(this.#reader.end());
    const writer = await this.#open();
    await Promise.all(this.#pending);
    const { rows, dataType, warning } = this.#reader;
    const record = { source: { name: basename(path), ...source }, dataType, rows, options };
    const written = await writer.finish(record);
    if (written.rows !== rows) throw new Error(`${path}: ${rows} rows were read and ${written.rows} written`);
    await output.publish();
    await this.#host.close();
    return { ...written, dataType, note: formatRecord(record), warning };
  }

  async abort(): Promise<void> {
    await this.#host.close();
    await Promise.allSettled(this.#pending);
    await this.#input.output.discard();
  }

  async #take(batches: Iterable<Batch>): Promise<void> {
    for (const batch of batches) {
      const writer = await this.#open();
      const encoder = this.#encoder as Encoder;
      while (this.#pending.length >= encoder.parallel) await this.#pending.shift();
      const written = writeInOrder(writer, encoder, batch, this.#pending.at(-1));
      // It is looked at when the next batch comes, or at the end.
      written.catch(() => {});
      this.#pending.push(written);
    }
  }

  /** The encoder needs the schema, which the header tells. */
  async #open(): Promise<OutputWriter> {
    if (this.#writer) return this.#writer;
    const { options, output } = this.#input;
    const { schema } = this.#reader;
    this.#encoder = await this.#host.open(schema, options);
    this.#writer = await createOutputWriter(output, schema, options);
    return this.#writer;
  }
}

async function writeInOrder(
  writer: OutputWriter,
  encoder: Encoder,
  batch: Batch,
  before: Promise<void> | undefined,
): Promise<void> {
  const encoded = await encoder.encode(batch);
  await before;
  await writer.write(encoded);
}
