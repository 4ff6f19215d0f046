import type { RowPlace } from '../../events/audited-day.js';
import { type AuditBatch, placeOf } from '../audit-batch.js';
import { ID_KIND, LOW_LIMIT } from '../batch-rows.js';
import type { CheckCounter, ContentCheck, RecordedResult } from '../content-check.js';

/** Percentage of steps of exactly 1 from which ids count as successive. */
const MIN_SUCCESSIVE_PERCENT = 90;

/** Ids that are missing between successive rows of symbols whose trades are numbered one by one. */
export const idGap: ContentCheck = {
  name: 'id_gap',
  appliesTo: (dataType) => dataType === 'trades',
  degrades: true,
  start: () => new IdGapCounter(),
};

interface SymbolIds {
  /** Whether all ids so far are numbers. */
  isNumbered: boolean;
  rows: number;
  high: number;
  low: number;
  /** Steps of exactly 1. */
  successive: number;
  missing: bigint;
  first: RowPlace | undefined;
}

class IdGapCounter implements CheckCounter {
  readonly #symbols: SymbolIds[] = [];

  push(batch: AuditBatch): void {
    const { rows, symbols } = batch;
    if (rows === 0) return;
    const { kinds, high, low } = batch.ids();
    for (let row = 0; row < rows; row++) {
      const symbol = symbols[row] as number;
      if (symbol < 0) continue;
      const state = this.#symbols[symbol] ?? createSymbolIds();
      this.#symbols[symbol] = state;
      const kind = kinds[row] as number;
      if (kind !== ID_KIND.number && kind !== ID_KIND.padded) state.isNumbered = false;
      if (!state.isNumbered) continue;
      addId(state, high[row] as number, low[row] as number, batch, row);
    }
  }

  end(): RecordedResult {
    const numbered = this.#symbols.filter(
      ({ isNumbered, rows, successive }) =>
        isNumbered && rows >= 2 && 100 * successive >= MIN_SUCCESSIVE_PERCENT * (rows - 1),
    );
    if (numbered.length === 0) return { count: null };
    const count = Number(numbered.reduce((sum, { missing }) => sum + missing, 0n));
    const [first] = numbered.flatMap((state) => state.first ?? []).sort((a, b) => a.row - b.row);
    return { count, ...(first && { first }) };
  }
}

function addId(state: SymbolIds, high: number, low: number, batch: AuditBatch, row: number): void {
  if (state.rows++ > 0) {
    const isNext =
      (high === state.high && low === state.low + 1) ||
      (high === state.high + 1 && low === 0 && state.low === LOW_LIMIT - 1);
    if (isNext) state.successive++;
    else if (high > state.high || (high === state.high && low > state.low)) {
      state.missing += BigInt(high - state.high) * BigInt(LOW_LIMIT) + BigInt(low - state.low) - 1n;
      state.first ??= placeOf(batch, row);
    }
  }
  state.high = high;
  state.low = low;
}

function createSymbolIds(): SymbolIds {
  return { isNumbered: true, rows: 0, high: 0, low: 0, successive: 0, missing: 0n, first: undefined };
}
