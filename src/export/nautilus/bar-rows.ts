import { TickhaulError } from '../../base/errors.js';
import { type Day, US_PER_DAY } from '../../day-files/day.js';
import { type Batch, type ColumnData, getColumn, type Schema, type TextValues } from '../../format/batch.js';
import { type ComputedStream, createBarStream } from '../../market/day-file/computed-stream.js';
import type { TradeBarType } from '../../market/message-type-name.js';
import type { TradeBar } from '../../market/trade-bars.js';
import { CATALOG_COLUMNS } from './catalog-columns.js';
import type { CatalogInstrument } from './catalog-instrument.js';
import { describeRow, type InstrumentBatch, type LaneDecoder, type RowDecoder } from './row-decoder.js';

const VALUES = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Columns of bars before they are decoded. */
const BAR_SCHEMA: Schema = [
  { name: 'timestamp', kind: 'time' },
  { name: 'local_timestamp', kind: 'time' },
  ...VALUES.map((name) => ({ name, kind: 'number' }) as const),
];

/** Makes bars of trades (docs/spec/nautilus-catalog.md#bars). */
export class BarRows {
  readonly #path: string;
  readonly #stream: ComputedStream;
  readonly #findInstrument: (symbol: string) => CatalogInstrument;
  #times: number[] = [];
  #localTimes: number[] = [];
  #values: number[] = [];
  #instruments: CatalogInstrument[] = [];
  #trades: number[] = [];

  constructor(
    source: { readonly path: string; readonly day: Day },
    type: TradeBarType,
    findInstrument: (symbol: string) => CatalogInstrument,
  ) {
    const start = source.day * US_PER_DAY;
    this.#path = source.path;
    this.#findInstrument = findInstrument;
    this.#stream = createBarStream([type], { start, end: start + US_PER_DAY }, (bar) => this.#add(bar));
  }

  /** Bars since the last `take`. */
  get rows(): number {
    return this.#times.length;
  }

  /** @throws TickhaulError `corrupt` if a price or amount is empty. */
  push(rows: InstrumentBatch): void {
    for (const name of ['price', 'amount']) {
      const row = getColumn(rows.batch, name).nulls?.indexOf(1);
      if (row !== undefined) {
        throw new TickhaulError(
          'corrupt',
          `${describeRow(rows, row)}: ${name} is empty, but a value is required`,
        );
      }
    }
    this.#stream.push(rows.batch);
  }

  end(): void {
    this.#stream.end();
  }

  /** Returns the bars and starts again. */
  take(): InstrumentBatch {
    const instruments = [...new Set(this.#instruments)];
    const positions = new Map(instruments.map((instrument, i) => [instrument, i]));
    const indices = Int32Array.from(this.#instruments, (instrument) => positions.get(instrument) as number);
    const sourceRows = this.#trades;
    const batch: Batch = {
      rows: this.rows,
      schema: BAR_SCHEMA,
      columns: [
        timeColumn(this.#times),
        timeColumn(this.#localTimes),
        ...VALUES.map((_, i) => numberColumn(this.#values.filter((_, at) => at % VALUES.length === i))),
      ],
    };
    this.#times = [];
    this.#localTimes = [];
    this.#values = [];
    this.#instruments = [];
    this.#trades = [];
    return { path: this.#path, rowsBefore: 0, batch, instruments, indices, sourceRows };
  }

  #add(bar: TradeBar): void {
    this.#times.push(bar.timestamp);
    this.#localTimes.push(bar.localTimestamp);
    for (const name of VALUES) this.#values.push(bar[name]);
    this.#instruments.push(this.#findInstrument(bar.instrument.symbol));
    this.#trades.push(bar.trades);
  }
}

/** Decodes bars. */
export function createBarDecoder(decoder: LaneDecoder): RowDecoder {
  return {
    columns: CATALOG_COLUMNS.bar,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      for (const [i, name] of VALUES.entries()) {
        const { roundedCount } = decoder.fixed;
        decoder.decodeNumbers(rows, name, name === 'volume' ? 'size' : 'price', lanes.at(i));
        // A sum of doubles has more decimals than its terms.
        if (name === 'volume') decoder.fixed.roundedCount = roundedCount;
      }
    },
  };
}

function timeColumn(values: readonly number[]): ColumnData {
  return { kind: 'time', values: Float64Array.from(values), nulls: undefined, nullCount: 0 };
}

function numberColumn(values: readonly number[]): ColumnData {
  const text = encodeTexts(values.map(String));
  return { kind: 'number', values: Float64Array.from(values), text, nulls: undefined, nullCount: 0 };
}

function encodeTexts(texts: readonly string[]): TextValues {
  const offsets = new Int32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = (offsets[i] as number) + text.length;
  return { bytes: new TextEncoder().encode(texts.join('')), offsets };
}
