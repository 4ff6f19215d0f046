import { ByteWriter } from '../byte-writer.js';
import { type Compress, loadCompressor } from '../compressor.js';
import { createNdjsonKernel } from '../ndjson/ndjson-kernel.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../output-format.js';
import { quoteCell } from './csv-cells.js';
import { parseRecords } from './quoted-records.js';

const LF = 10;

/** Initial size of the text of a batch, in bytes; usual batches have 1 MB. */
const TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Keeps the text of rows as it is, and checks their cells as other formats do. The check is the NDJSON kernel: its lines,
 * here without keys, are dropped.
 */
export async function createCsvKernel(job: KernelJob): Promise<BatchKernel> {
  const { compression } = job.options;
  const compress = compression === 'none' ? undefined : await loadCompressor(compression);
  const noKeys = job.schema.map(() => Buffer.alloc(0));
  const check = await createNdjsonKernel(job, { times: 'int', numbers: 'double' }, 'none', noKeys);
  return new CsvKernel(job, check, compress);
}

class CsvKernel implements BatchKernel {
  readonly #names: readonly string[];
  readonly #check: BatchKernel;
  readonly #compress: Compress | undefined;
  /** Used in turns, so that one batch can be written while the next begins. Shared, so that any thread can write. */
  readonly #texts = [createSharedWriter(), createSharedWriter()] as const;
  #batchCount = 0;
  #rows = 0;

  constructor({ schema }: KernelJob, check: BatchKernel, compress: Compress | undefined) {
    this.#names = schema.map(({ name }) => name);
    this.#check = check;
    this.#compress = compress;
  }

  get source(): string {
    return this.#check.source;
  }

  set source(source: string) {
    this.#check.source = source;
  }

  get line(): number {
    return this.#check.line;
  }

  set line(line: number) {
    this.#check.line = line;
  }

  getPieceBuffer(): Buffer {
    return this.#check.getPieceBuffer();
  }

  parse(length: number): void {
    this.#check.parse(length);
    this.#append(this.#check.getPieceBuffer().subarray(0, length));
  }

  appendRow(cells: readonly Uint8Array[]): void {
    this.#check.appendRow(cells);
    this.#append(Buffer.from(cells.map((cell) => quoteCell(Buffer.from(cell).toString())).join()));
  }

  appendQuoted(text: Buffer): void {
    const { source, line } = this;
    for (const cells of parseRecords(text, { source, line }, this.#names)) this.#check.appendRow(cells);
    this.#append(text);
  }

  finish(): EncodedBatch | undefined {
    const rows = this.#rows;
    if (rows === 0) return undefined;
    const text = this.#text.written();
    const bytes = this.#compress ? new Uint8Array(this.#compress(text, 'fast')) : text;
    this.#batchCount++;
    this.#rows = 0;
    this.#text.length = 0;
    return { rows, bytes };
  }

  /** Text of the current batch. */
  get #text(): ByteWriter {
    return this.#texts[this.#batchCount % 2] as ByteWriter;
  }

  /** Appends rows that were checked; the last line feed may be missing. */
  #append(text: Buffer): void {
    this.#rows += this.#check.finish()?.rows ?? 0;
    this.#text.append(text);
    if (text.length > 0 && text.at(-1) !== LF) this.#text.byte(LF);
  }
}

function createSharedWriter(): ByteWriter {
  return new ByteWriter(TEXT_BYTES, (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
}
