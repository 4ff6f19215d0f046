import { getTextColumn, toDictionary } from '../../format/batch.js';
import { CATALOG_COLUMNS } from './catalog-columns.js';
import type { LaneSet } from './lane-memory.js';
import type { InstrumentBatch, LaneDecoder, RowDecoder } from './row-decoder.js';

const AGGRESSORS: Readonly<Record<string, number>> = { buy: 1, sell: 2 };
const LANE = { price: 0, size: 1, aggressorSide: 2, tradeId: 3, event: 4 } as const;

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const UNIT_SEPARATOR = 0x1f;

/** Decodes rows of `trades` (docs/spec/nautilus-catalog.md#trades). */
export function createTradeDecoder(decoder: LaneDecoder): RowDecoder {
  return {
    columns: CATALOG_COLUMNS.trade_tick,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      const prices = decoder.decodeRequiredNumbers(rows, 'price', 'price', lanes.at(LANE.price));
      const amounts = decoder.decodeRequiredNumbers(rows, 'amount', 'size', lanes.at(LANE.size));
      const sides = readTexts(rows, 'side');
      const aggressors = Uint8Array.from(sides.texts, (text) => AGGRESSORS[text] ?? 0);
      const lane = lanes.view(LANE.aggressorSide);
      for (let row = 0; row < lane.length; row++)
        lane[row] = aggressors[sides.indices[row] as number] as number;
      if (storeIds(decoder, rows, lanes) > 0) {
        deriveIds(decoder, rows, lanes, { prices: prices.values, amounts: amounts.values, sides });
      }
    },
  };
}

/** Stores the ids. Returns the number of rows without a usable one. */
function storeIds({ memory }: LaneDecoder, rows: InstrumentBatch, lanes: LaneSet): number {
  const column = getTextColumn(rows.batch, 'id');
  const slots = lanes.at(LANE.tradeId);
  const ids = lanes.view(LANE.tradeId);
  if (column.nullCount === lanes.rows) {
    ids.fill(0);
    return lanes.rows;
  }
  const isDictionary = column.encoding === 'dictionary';
  const indices = isDictionary ? memory.load('id indices', column.indices) : 0;
  const { bytes, offsets } = memory.loadTexts('ids', isDictionary ? column.dictionary : column.text);
  const unusable = memory.kernel.fillIdSlots(bytes, offsets, indices, lanes.rows, slots);
  if (!column.nulls) return unusable;
  // A null has the position of another text.
  const width = lanes.widths[LANE.tradeId] as number;
  const view = lanes.view(LANE.tradeId);
  for (let row = 0; row < lanes.rows; row++) if (column.nulls[row] === 1) view[row * width] = 0;
  return unusable + column.nullCount;
}

interface Texts {
  readonly indices: Int32Array;
  readonly texts: readonly string[];
}

function deriveIds(
  { memory }: LaneDecoder,
  rows: InstrumentBatch,
  lanes: LaneSet,
  {
    prices,
    amounts,
    sides,
  }: { readonly prices: Float64Array; readonly amounts: Float64Array; readonly sides: Texts },
): void {
  const seeds = BigUint64Array.from(rows.instruments, ({ symbol }) => hashSymbol(symbol));
  const parts = sides.texts.map((text) => Buffer.from(text));
  const offsets = new Int32Array(parts.length + 1);
  for (const [i, { length }] of parts.entries()) offsets[i + 1] = (offsets[i] as number) + length;
  const sideTexts = memory.loadTexts('sides', { bytes: new Uint8Array(Buffer.concat(parts)), offsets });
  memory.kernel.deriveIds(
    lanes.at(LANE.tradeId),
    lanes.rows,
    memory.load('seeds', seeds),
    memory.load('symbol indices', rows.indices),
    lanes.at(LANE.event),
    memory.load('price values', prices),
    memory.load('amount values', amounts),
    sideTexts.bytes,
    sideTexts.offsets,
    memory.load('side indices', sides.indices),
  );
}

/** FNV-1a, 64 bits, of the upper-case symbol and a separator. */
function hashSymbol(symbol: string): bigint {
  let hash = FNV_OFFSET;
  for (const byte of [...Buffer.from(symbol.toUpperCase()), UNIT_SEPARATOR]) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  }
  return hash;
}

/** A text column as positions of distinct texts; an empty cell is the empty text. */
function readTexts(rows: InstrumentBatch, name: string): Texts {
  const column = getTextColumn(rows.batch, name);
  const { indices, texts } = toDictionary(column);
  const { nulls } = column;
  if (!nulls) return { indices, texts };
  return {
    indices: indices.map((index, row) => (nulls[row] === 1 ? texts.length : index)),
    texts: [...texts, ''],
  };
}

/** Decodes rows of `quotes` and `book_ticker`; empty cells are 0. */
export function createQuoteDecoder(decoder: LaneDecoder): RowDecoder {
  return {
    columns: CATALOG_COLUMNS.quote_tick,
    decode(rows, lanes) {
      decoder.open(rows, lanes);
      decoder.decodeNumbers(rows, 'bid_price', 'price', lanes.at(0));
      decoder.decodeNumbers(rows, 'ask_price', 'price', lanes.at(1));
      decoder.decodeNumbers(rows, 'bid_amount', 'size', lanes.at(2));
      decoder.decodeNumbers(rows, 'ask_amount', 'size', lanes.at(3));
    },
  };
}
