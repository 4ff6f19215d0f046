import { usageError } from '../../base/errors.js';
import { parseComputedTypeName, type TradeBarType } from '../../market/names/message-type-name.js';

/** Units of time bars, with their milliseconds, and the number of steps that the next unit has. */
const TIME_UNITS = [
  { unit: 'DAY', ms: 86_400_000, steps: 1 },
  { unit: 'HOUR', ms: 3_600_000, steps: 24 },
  { unit: 'MINUTE', ms: 60_000, steps: 60 },
  { unit: 'SECOND', ms: 1000, steps: 60 },
  { unit: 'MILLISECOND', ms: 1, steps: 1000 },
] as const;

/** Parses the name of bars, such as `trade_bar_1m`. @throws usage error for other computed types. */
export function parseBarName(name: string): TradeBarType {
  const type = parseComputedTypeName(name, ['rows']);
  if (type.kind === 'trade_bar') return type;
  throw usageError(`--as ${name}: a catalog has only bars and rows; use trade_bar_1m or rows`);
}

/**
 * The step and unit of bars as in a bar type: `1-MINUTE` (docs/spec/nautilus-catalog.md#bars).
 * @throws usage error if the step does not divide the next unit, or is not whole.
 */
export function formatBarStep({ name, bar, interval }: TradeBarType): string {
  if (!Number.isInteger(interval)) throw usageError(`--as ${name}: the step of a bar must be a whole number`);
  if (bar !== 'time') return `${interval}-${bar === 'tick' ? 'TICK' : 'VOLUME'}`;
  const reduced = TIME_UNITS.find(({ ms }) => interval % ms === 0) as (typeof TIME_UNITS)[number];
  const step = interval / reduced.ms;
  if (step > reduced.steps || reduced.steps % step !== 0) {
    const unit = reduced.unit.toLowerCase();
    throw usageError(
      `--as ${name}: ${step} ${unit}${step === 1 ? '' : 's'} do not divide the next unit, as a catalog requires`,
    );
  }
  return `${step}-${reduced.unit}`;
}

/** The bar type of an instrument: `BTCUSDT.BINANCE-1-MINUTE-LAST-EXTERNAL`. */
export function formatBarType(instrumentId: string, type: TradeBarType): string {
  return `${instrumentId}-${formatBarStep(type)}-LAST-EXTERNAL`;
}
