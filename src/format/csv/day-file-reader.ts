import { TickhaulError } from '../../base/errors.js';
import type { Batch, NumberText, Schema } from '../batch.js';
import { ColumnMemory } from '../kernel/column-memory.js';
import { CsvParser } from './csv-parser.js';
import { HeaderBuffer, inferDataType, parseHeaderNames } from './header-buffer.js';

export interface ReaderOptions {
  /** Path of the source, for messages. */
  readonly path: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Rows per batch for a number of columns. */
  readonly batchRows: (columns: number) => number;
  readonly numberText: NumberText;
  /** Whether cells of the leading columns may be empty, too. */
  readonly allowsEmptyCells?: boolean | undefined;
  /** Whether an empty file of an unknown data type has no rows and no schema; otherwise it is an error. */
  readonly allowsEmptyFile?: boolean | undefined;
  /**
   * Memories that the readers of one thread use in turns (`CsvOptions`). All of them must have the same
   * options. Empty at first.
   */
  readonly memories?: Map<string, ColumnMemory> | undefined;
}

/**
 * Parses a day file's text into batches of columns. It buffers the header, which may determine the data type,
 * and then behaves like `CsvParser`.
 */
export class DayFileReader {
  readonly #options: ReaderOptions;
  readonly #head = new HeaderBuffer();
  #dataType = '';
  #parser: CsvParser | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Set after the first batch, and after `end`. */
  get schema(): Schema {
    return this.#parser?.schema ?? [];
  }

  /** Set when the schema is. */
  get dataType(): string {
    return this.#dataType;
  }

  /** Lists the columns that the data type is not known to have. */
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

  /** Starts in the middle of a file with this header: the next `push` starts at the given line. */
  skipTo(header: Buffer, line: number): void {
    const parser = this.#open(header);
    parser.skipTo(header, line);
  }

  /** @throws also TickhaulError `usage` for an empty file of an unknown data type, unless it is allowed. */
  end(): Iterable<Batch> {
    if (this.#parser) return this.#parser.end();
    const head = this.#head.bytes;
    const { path, dataType, allowsEmptyFile } = this.#options;
    if (head.length === 0 && dataType === undefined) {
      if (allowsEmptyFile) return [];
      const message = `${path}: the file is empty and its name does not state the data type; set it with --type`;
      throw new TickhaulError('usage', message);
    }
    return pushAll(this.#open(head), head);
  }

  #open(head: Buffer): CsvParser {
    const { path, dataType, batchRows, numberText, allowsEmptyCells, memories } = this.#options;
    const names = parseHeaderNames(head);
    this.#dataType = dataType ?? inferDataType(names) ?? 'unknown';
    this.#parser = new CsvParser({
      source: path,
      dataType: this.#dataType,
      batchRows: batchRows(names.length),
      numberText,
      allowsEmptyCells,
      sharedMemory: memories && getMemory(memories, `${this.#dataType}\n${names}`),
    });
    return this.#parser;
  }
}

function getMemory(memories: Map<string, ColumnMemory>, kind: string): ColumnMemory {
  const memory = memories.get(kind) ?? new ColumnMemory();
  memories.set(kind, memory);
  return memory;
}

function* pushAll(parser: CsvParser, text: Buffer): Generator<Batch, void, undefined> {
  yield* parser.push(text);
  yield* parser.end();
}
