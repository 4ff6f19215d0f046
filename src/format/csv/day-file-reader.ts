import { TickhaulError } from '../../base/errors.js';
import type { Batch, Schema } from '../batch.js';
import { ColumnMemory } from '../kernel/column-memory.js';
import { CsvParser } from './csv-parser.js';
import { HeaderBuffer, inferDataType, parseHeaderNames } from './header-buffer.js';

export interface ReaderOptions {
  /** The source's path, for messages. */
  readonly path: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  /** Rows a batch, of so many columns. */
  readonly batchRows: (columns: number) => number;
  readonly numberText: boolean;
  /**
   * Memories of the readers of one thread, which use them in turns (CsvOptions): of files that are alike, and read with
   * the same options. Empty at first.
   */
  readonly memories?: Map<string, ColumnMemory> | undefined;
}

/**
 * A day file's text as batches of columns: a CsvParser that waits for the header, which may have to tell the
 * data type. Gives and throws as that one does.
 */
export class DayFileReader {
  readonly #options: ReaderOptions;
  readonly #head = new HeaderBuffer();
  #dataType = '';
  #parser: CsvParser | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Known once there was a batch, and at the end. */
  get schema(): Schema {
    return this.#parser?.schema ?? [];
  }

  /** Known as the schema is. */
  get dataType(): string {
    return this.#dataType;
  }

  /** Names columns that the data type isn't known to have. */
  get warning(): string | undefined {
    return this.#parser?.warning;
  }

  get rows(): number {
    return this.#parser?.rows ?? 0;
  }

  push(text: Buffer): Iterable<Batch> {
    if (this.#parser) return this.#parser.push(text);
    const head = this.#head.push(text);
    return head ? this.#open(head).push(head) : [];
  }

  /** Begins in the middle of a file with this header: the next text is that of the given line. */
  skipTo(header: Buffer, line: number): void {
    const parser = this.#open(header);
    parser.skipTo(header, line);
  }

  /** @throws also usage error for an empty file whose data type nothing tells. */
  end(): Iterable<Batch> {
    if (this.#parser) return this.#parser.end();
    const head = this.#head.bytes;
    const { path, dataType } = this.#options;
    if (head.length === 0 && dataType === undefined) {
      const message = `${path}: the file is empty and its name doesn't tell the data type; name it with --type`;
      throw new TickhaulError('usage', message);
    }
    return pushAll(this.#open(head), head);
  }

  #open(head: Buffer): CsvParser {
    const { path, dataType, batchRows, numberText, memories } = this.#options;
    const names = parseHeaderNames(head);
    this.#dataType = dataType ?? inferDataType(names) ?? 'unknown';
    this.#parser = new CsvParser({
      source: path,
      dataType: this.#dataType,
      batchRows: batchRows(names.length),
      numberText,
      shared: memories && memoryFor(memories, `${this.#dataType}\n${names}`),
    });
    return this.#parser;
  }
}

function memoryFor(memories: Map<string, ColumnMemory>, kind: string): ColumnMemory {
  const memory = memories.get(kind) ?? new ColumnMemory();
  memories.set(kind, memory);
  return memory;
}

function* pushAll(parser: CsvParser, text: Buffer): Generator<Batch, void, undefined> {
  yield* parser.push(text);
  yield* parser.end();
}
