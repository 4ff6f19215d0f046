import type { Batch, Schema } from '../../format/batch.js';
import { hasMicros } from '../../format/ndjson/iso-time.js';
import { getNumbers, getTextCodes } from '../batch-columns.js';
import type { Period, TradeBars } from '../trade-bars.js';
import { TRADE_SIDE } from '../trade-bars.js';
import type { Instruments } from './instruments.js';

export interface TradeState {
  readonly bars: readonly TradeBars[];
}

/**
 * Passes the rows of trades, in order, to `source` and then to the bars of their instrument.
 * @param period local times in microseconds; rows outside are ignored.
 */
export function processTrades<State extends TradeState>(
  batch: Batch,
  schema: Schema,
  instruments: Instruments<State>,
  period: Period,
  source: ((row: number, state: State, timestamp: number, localTimestamp: number) => void) | undefined,
): void {
  const { states, indices } = instruments.getOwners(batch);
  const timestamps = getNumbers(schema, batch, 'timestamp');
  const localTimestamps = getNumbers(schema, batch, 'local_timestamp');
  const prices = getNumbers(schema, batch, 'price');
  const amounts = getNumbers(schema, batch, 'amount');
  const sides = getTextCodes(schema, batch, 'side', TRADE_SIDE);
  for (let row = 0; row < batch.rows; row++) {
    const state = states[indices[row] as number];
    const local = localTimestamps[row] as number;
    if (state === undefined || local < period.start || local >= period.end) continue;
    const time = timestamps[row] as number;
    if (source) source(row, state, time, local);
    const { bars } = state;
    for (let i = 0; i < bars.length; i++) {
      (bars[i] as TradeBars).add(
        prices[row] as number,
        amounts[row] as number,
        sides[row] as number,
        time,
        local,
        hasMicros(time, local),
      );
    }
  }
}
