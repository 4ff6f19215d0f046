import { findDataType } from '../../day-files/data-types.js';
import type { ContentResult, RowPlace } from '../../events/audited-day.js';
import { type AuditBatch, placeOf } from '../audit-batch.js';
import type {
  AuditedFile,
  CheckCounter,
  ContentCheck,
  RecordedResult,
  SeriesFacts,
  SymbolCount,
} from '../content-check.js';

const PRICE = /^(?:(?:ask_|bid_)?price|(?:asks|bids)\[\d+\]\.price)$/;
const AMOUNT = /^(?:(?:ask_|bid_)?amount|(?:asks|bids)\[\d+\]\.amount)$/;

/**
 * Prices that are not positive, negative amounts, and trades of no amount. Prices of options chains and of combos may be
 * negative.
 */
export const badNumber: ContentCheck = {
  name: 'bad_number',
  appliesTo: (dataType) =>
    findDataType(dataType)?.columns.some(({ name }) => PRICE.test(name) || AMOUNT.test(name)) ?? true,
  degrades: true,
  start: ({ dataType }) => new BadNumberCounter(dataType),
  resolve: resolvePrices,
};

interface Count {
  count: number;
  first: RowPlace | undefined;
}

class BadNumberCounter implements CheckCounter {
  readonly #hasPrices: boolean;
  readonly #isTrades: boolean;
  readonly #amounts: Count = { count: 0, first: undefined };
  /** By position of the symbol; -1 for rows without one. */
  readonly #prices = new Map<number, Count>();
  #symbolNames: readonly string[] = [];

  constructor(dataType: string) {
    this.#hasPrices = !findDataType(dataType)?.hasNegativePrices;
    this.#isTrades = dataType === 'trades';
  }

  push(batch: AuditBatch): void {
    this.#symbolNames = batch.symbolNames;
    for (const { name, kind } of batch.batch.schema) {
      if (kind !== 'number') continue;
      if (this.#hasPrices && PRICE.test(name)) this.#countPrices(batch, batch.numbers(name));
      else if (AMOUNT.test(name)) this.#countAmounts(batch, batch.numbers(name));
    }
  }

  end(): RecordedResult {
    const prices = [...this.#prices].map(([symbol, { count, first }]): SymbolCount => {
      return { symbol: this.#symbolNames[symbol] ?? null, count, first: first as RowPlace };
    });
    return { ...toResult(this.#amounts), ...(prices.length > 0 && { prices }) };
  }

  #countPrices(batch: AuditBatch, values: Float64Array): void {
    for (let row = 0; row < batch.rows; row++) {
      if (!((values[row] as number) <= 0)) continue;
      const symbol = batch.symbols[row] as number;
      const count = this.#prices.get(symbol) ?? { count: 0, first: undefined };
      this.#prices.set(symbol, count);
      addCell(count, batch, row);
    }
  }

  #countAmounts(batch: AuditBatch, values: Float64Array): void {
    const isTrades = this.#isTrades;
    for (let row = 0; row < batch.rows; row++) {
      const value = values[row] as number;
      if (value < 0 || (isTrades && value === 0)) addCell(this.#amounts, batch, row);
    }
  }
}

/** Cells are counted by column, so an earlier row may follow. */
function addCell(count: Count, batch: AuditBatch, row: number): void {
  count.count++;
  if (count.first === undefined || batch.rowsBefore + row + 1 < count.first.row)
    count.first = placeOf(batch, row);
}

/** Adds the prices of all symbols but combos. */
function resolvePrices(
  { count, first, prices = [] }: RecordedResult,
  _file: AuditedFile,
  _rows: number,
  { isCombo }: SeriesFacts,
): ContentResult {
  const counted = prices.filter(({ symbol }) => symbol === null || !isCombo(symbol));
  const firsts = [...(first ? [first] : []), ...counted.map((each) => each.first)];
  return toResult({
    count: counted.reduce((sum, each) => sum + each.count, count ?? 0),
    first: firsts.sort((a, b) => a.row - b.row)[0],
  });
}

function toResult({ count, first }: Count): ContentResult {
  return { count, ...(first && { first }) };
}
