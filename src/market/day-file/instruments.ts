import type { Batch, Schema, TextColumn } from '../../format/batch.js';
import { getColumn } from '../batch-columns.js';
import type { Instrument } from '../instrument.js';
import { toDictionary } from '../lines/write-text.js';

/** Whose a batch's rows are: row r is of `states[indices[r]]`; undefined for an instrument that nobody asked for. */
export interface RowOwners<State> {
  readonly states: readonly (State | undefined)[];
  readonly indices: Int32Array;
}

/** What is kept for each exchange and symbol of a day file, in the order in which they first appear. */
export class Instruments<State> {
  readonly #states = new Map<string, State | undefined>();
  readonly #schema: Schema;
  readonly #make: (instrument: Instrument) => State | undefined;

  /** @param make called once an instrument; undefined where its rows are to be passed over. */
  constructor(schema: Schema, make: (instrument: Instrument) => State | undefined) {
    this.#schema = schema;
    this.#make = make;
  }

  /** Of the instruments so far that were asked for. */
  get states(): readonly State[] {
    return [...this.#states.values()].filter((state) => state !== undefined);
  }

  owners(batch: Batch): RowOwners<State> {
    const exchanges = toDictionary(getColumn(this.#schema, batch, 'exchange') as TextColumn);
    const symbols = toDictionary(getColumn(this.#schema, batch, 'symbol') as TextColumn);
    const [exchange = ''] = exchanges.texts;
    if (exchanges.texts.length === 1) {
      const states = symbols.texts.map((symbol) => this.#stateOf({ exchange, symbol }));
      return { states, indices: symbols.indices };
    }
    return this.#ownersOfMany(batch.rows, exchanges, symbols);
  }

  /** Files of several exchanges, which the service doesn't have. */
  #ownersOfMany(rows: number, exchanges: Dictionary, symbols: Dictionary): RowOwners<State> {
    const known = new Map<number, number>();
    const states: (State | undefined)[] = [];
    const indices = Int32Array.from({ length: rows }, (_, row) => {
      const e = exchanges.indices[row] as number;
      const s = symbols.indices[row] as number;
      const pair = e * symbols.texts.length + s;
      const index = known.get(pair) ?? known.size;
      if (index === known.size) {
        known.set(pair, index);
        states.push(this.#stateOf({ exchange: exchanges.texts[e] ?? '', symbol: symbols.texts[s] ?? '' }));
      }
      return index;
    });
    return { states, indices };
  }

  #stateOf(instrument: Instrument): State | undefined {
    const key = `${instrument.exchange}\n${instrument.symbol}`;
    if (!this.#states.has(key)) this.#states.set(key, this.#make(instrument));
    return this.#states.get(key);
  }
}

type Dictionary = ReturnType<typeof toDictionary>;
