import type { Column } from '../../dataset/data-types.js';
import type { Batch, ColumnData, Nulls, Schema, TextValues } from '../../format/batch.js';
import type { Instrument } from '../../market/messages.js';

/** Number of leading text columns of every file: exchange and symbol. */
const TEXT_COLUMNS = 2;
const INITIAL_CAPACITY = 1024;

/**
 * Collects computed rows by column. Write a row cell by cell: `beginRow`, then `append` for each column after
 * the symbol. The memory grows to the size of the largest batch and is reused.
 */
export class RowBuilder {
  /** Rows since the last `takeBatch`. */
  rows = 0;
  readonly #schema: Schema;
  readonly #numbers: 'double' | 'string';
  readonly #exchanges = new DictionaryBuilder();
  readonly #symbols = new DictionaryBuilder();
  #lanes: readonly Float64Array<ArrayBuffer>[];
  #capacity = INITIAL_CAPACITY;
  /** Position of the next cell. */
  #row = 0;
  #column = 0;

  /** @param numbers whether number columns have text values, too, in JavaScript's shortest form. */
  constructor(schema: Schema, numbers: 'double' | 'string') {
    this.#schema = schema;
    this.#numbers = numbers;
    this.#lanes = schema.slice(TEXT_COLUMNS).map(() => new Float64Array(INITIAL_CAPACITY));
  }

  beginRow({ exchange, symbol }: Instrument): void {
    if (this.rows === this.#capacity) this.#grow();
    this.#row = this.rows++;
    this.#column = 0;
    this.#exchanges.add(this.#row, exchange);
    this.#symbols.add(this.#row, symbol);
  }

  /** Writes the next cell; a value that is not finite is an empty cell. */
  append(value: number): void {
    const lane = this.#lanes[this.#column++] as Float64Array;
    lane[this.#row] = value;
  }

  /** Returns the rows and starts a new batch. The returned batch is valid until the next row begins. */
  takeBatch(): Batch {
    const { rows } = this;
    const [exchange, symbol, ...others] = this.#schema;
    if (!exchange || !symbol) throw new Error('rows without exchange and symbol');
    const columns = [
      this.#exchanges.take(rows),
      this.#symbols.take(rows),
      ...others.map((column, i) =>
        this.#columnOf(column, (this.#lanes[i] as ColumnValues).subarray(0, rows)),
      ),
    ];
    this.rows = 0;
    return { rows, columns };
  }

  #columnOf({ name, kind }: Column, values: ColumnValues): ColumnData {
    const nulls = extractNulls(values);
    switch (kind) {
      case 'time':
      case 'integer':
        return { kind, values, ...nulls };
      case 'number':
        return {
          kind,
          values,
          text: this.#numbers === 'string' ? formatNumbers(values, nulls) : undefined,
          ...nulls,
        };
      default:
        throw new Error(`column ${name}: a computed type cannot have ${kind} here`);
    }
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#lanes = this.#lanes.map((lane) => {
      const larger = new Float64Array(this.#capacity);
      larger.set(lane);
      return larger;
    });
  }
}

type ColumnValues = Float64Array<ArrayBuffer>;

/** A text column with few distinct values. */
class DictionaryBuilder {
  #positions = new Map<string, number>();
  #indices = new Int32Array(INITIAL_CAPACITY);

  add(row: number, word: string): void {
    if (row === this.#indices.length) {
      const larger = new Int32Array(2 * row);
      larger.set(this.#indices);
      this.#indices = larger;
    }
    const position = this.#positions.get(word) ?? this.#positions.size;
    if (position === this.#positions.size) this.#positions.set(word, position);
    this.#indices[row] = position;
  }

  take(rows: number): ColumnData {
    const dictionary = encodeTexts([...this.#positions.keys()]);
    this.#positions.clear();
    const indices = this.#indices.subarray(0, rows);
    return { kind: 'text', encoding: 'dictionary', indices, dictionary, nulls: undefined, nullCount: 0 };
  }
}

/** Replaces non-finite values by 0 and marks them as null. */
function extractNulls(values: ColumnValues): Nulls {
  let nulls: Uint8Array<ArrayBuffer> | undefined;
  let nullCount = 0;
  for (let row = 0; row < values.length; row++) {
    if (Number.isFinite(values[row])) continue;
    nulls ??= new Uint8Array(values.length);
    nulls[row] = 1;
    nullCount++;
    values[row] = 0;
  }
  return { nulls, nullCount };
}

function formatNumbers(values: ColumnValues, { nulls }: Nulls): TextValues {
  return encodeTexts(Array.from(values, (value, row) => (nulls?.[row] === 1 ? '' : String(value))));
}

function encodeTexts(texts: readonly string[]): TextValues {
  const offsets = new Int32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = (offsets[i] as number) + Buffer.byteLength(text);
  return { bytes: Uint8Array.from(Buffer.from(texts.join(''))), offsets };
}
