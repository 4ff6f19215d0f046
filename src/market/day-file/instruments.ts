import type { Batch, Schema, TextColumn } from '../../format/batch.js';
import type { FixedText } from '../../format/ndjson/write-json.js';
import { getColumn } from '../batch-columns.js';
import type { Instrument } from '../instrument.js';
import { toDictionary } from '../lines/write-text.js';
import type { InstrumentPipeline } from '../pipeline.js';

/**
 * Maps rows to states: row r belongs to `states[indices[r]]`; undefined for an instrument that is not
 * selected.
 */
export interface RowOwners<State> {
  readonly states: readonly (State | undefined)[];
  readonly indices: Int32Array;
}

/** What belongs to the rows of one instrument. */
export interface RowState {
  /** Start of the lines of its messages. */
  readonly head: FixedText;
  readonly pipeline: InstrumentPipeline;
}

/** State of each exchange and symbol of a day file, in the order in which they first appear. */
export class Instruments<State> {
  readonly #states = new Map<string, State | undefined>();
  readonly #schema: Schema;
  readonly #createState: (instrument: Instrument) => State | undefined;

  /** @param createState called once per instrument; returns undefined if its rows are ignored. */
  constructor(schema: Schema, createState: (instrument: Instrument) => State | undefined) {
    this.#schema = schema;
    this.#createState = createState;
  }

  /** States of the selected instruments so far. */
  get states(): readonly State[] {
    return [...this.#states.values()].filter((state) => state !== undefined);
  }

  getOwners(batch: Batch): RowOwners<State> {
    const exchanges = toDictionary(getColumn(this.#schema, batch, 'exchange') as TextColumn);
    const symbols = toDictionary(getColumn(this.#schema, batch, 'symbol') as TextColumn);
    const [exchange = ''] = exchanges.texts;
    if (exchanges.texts.length === 1) {
      const states = symbols.texts.map((symbol) => this.#getState({ exchange, symbol }));
      return { states, indices: symbols.indices };
    }
    return this.#getOwnersOfMany(batch.rows, exchanges, symbols);
  }

  /** Handles files of several exchanges, which the service does not have. */
  #getOwnersOfMany(rows: number, exchanges: Dictionary, symbols: Dictionary): RowOwners<State> {
    const known = new Map<number, number>();
    const states: (State | undefined)[] = [];
    const indices = Int32Array.from({ length: rows }, (_, row) => {
      const e = exchanges.indices[row] as number;
      const s = symbols.indices[row] as number;
      const pair = e * symbols.texts.length + s;
      const index = known.get(pair) ?? known.size;
      if (index === known.size) {
        known.set(pair, index);
        states.push(this.#getState({ exchange: exchanges.texts[e] ?? '', symbol: symbols.texts[s] ?? '' }));
      }
      return index;
    });
    return { states, indices };
  }

  #getState(instrument: Instrument): State | undefined {
    const key = `${instrument.exchange}\n${instrument.symbol}`;
    if (!this.#states.has(key)) this.#states.set(key, this.#createState(instrument));
    return this.#states.get(key);
  }
}

type Dictionary = ReturnType<typeof toDictionary>;
