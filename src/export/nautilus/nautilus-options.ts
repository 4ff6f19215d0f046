import { usageError } from '../../base/errors.js';
import { parseComputedTypeName, type TradeBarType } from '../../market/message-type-name.js';
import type { ExportFlags } from '../export-target.js';
import type { FixedPrecision } from './catalog-columns.js';
import { FIXED_LIMITS } from './fixed-point.js';

/** Options of the target `nautilus`. */
export interface NautilusOptions {
  readonly catalog: 'python' | 'rust';
  readonly precision: FixedPrecision;
  /** Decimals of all instruments. */
  readonly price: number | undefined;
  readonly size: number | undefined;
  readonly instrumentId: string | undefined;
  /** Names of the bars to make of trades. */
  readonly bars: readonly string[];
  /** Whether trades are written as they are. */
  readonly hasTrades: boolean;
}

/** @throws usage error. */
export function readNautilusOptions(flags: ExportFlags): NautilusOptions {
  const precision = readChoice(flags, 'precision', ['128', '64']) === '64' ? 64 : 128;
  const names = [flags.as ?? []].flat();
  const bars = names.filter((name) => name !== 'rows');
  return {
    catalog: readChoice(flags, 'catalog', ['python', 'rust']),
    precision,
    price: readDecimals(flags, 'price-precision', precision),
    size: readDecimals(flags, 'size-precision', precision),
    instrumentId: readInstrumentId(flags),
    bars: readBars(bars),
    hasTrades: names.length === 0 || bars.length < names.length,
  };
}

function readChoice<Choice extends string>(
  flags: ExportFlags,
  name: 'catalog' | 'precision',
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const text = flags[name];
  if (text === undefined) return choices[0];
  const choice = choices.find((known) => known === text);
  if (choice !== undefined) return choice;
  throw usageError(`--${name}: "${text}" is not a valid value; use ${choices.join(' or ')}`);
}

function readDecimals(
  flags: ExportFlags,
  name: 'price-precision' | 'size-precision',
  precision: FixedPrecision,
): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const { scale } = FIXED_LIMITS[precision];
  const decimals = /^\d{1,3}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (decimals <= scale) return decimals;
  throw usageError(
    `--${name}: "${text}" is not a number of decimals; use 0 to ${scale} with --precision ${precision}`,
  );
}

function readInstrumentId(flags: ExportFlags): string | undefined {
  const text = flags['instrument-id'];
  if (text === undefined || /^[^\s.][^\s]*\.[^\s.]+$/.test(String(text))) return text?.toString();
  throw usageError(`--instrument-id: "${text}" is not <SYMBOL>.<VENUE>, such as BTCUSDT-PERP.BINANCE`);
}

function readBars(names: readonly string[]): readonly string[] {
  const bySteps = new Map<string, string>();
  for (const name of names) {
    const step = formatBarStep(parseBarName(name));
    const other = bySteps.get(step);
    if (other !== undefined && other !== name)
      throw usageError(`--as: ${other} and ${name} are the same bars in a catalog; omit one`);
    bySteps.set(step, name);
  }
  return [...bySteps.values()];
}

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
