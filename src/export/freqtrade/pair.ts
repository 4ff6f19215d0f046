import { usageError } from '../../base/errors.js';
import { toSafeFileName } from '../../day-files/file-naming.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';

/**
 * The pair of an instrument, as freqtrade names it (docs/spec/freqtrade-files.md#names); undefined for types that it
 * does not trade.
 */
export function toPair(instrument: InstrumentInfo): string | undefined {
  const { baseCurrency: base, quoteCurrency: quote, type } = instrument;
  if (base === '' || quote === '') return undefined;
  if (type === 'spot') return `${base}/${quote}`;
  if (type !== 'perpetual' && type !== 'future') return undefined;
  const { settlementCurrency, inverse, contractType, expiry } = instrument;
  const isInverse = inverse === true || contractType?.startsWith('inverse_') === true;
  const settlement = typeof settlementCurrency === 'string' ? settlementCurrency : isInverse ? base : quote;
  const isDated = type === 'future' && typeof expiry === 'string';
  return `${base}/${quote}:${settlement}${isDated ? `-${expiry.slice(2, 10).replaceAll('-', '')}` : ''}`;
}

/** Checks a pair that the user named. @throws usage error. */
export function parsePair(text: string): string {
  if (/^[^\s/:\\]+\/[^\s/:\\]+(?::[^\s/:\\]+)?$/.test(text)) return text;
  throw usageError(`--pair: "${text}" is not a pair; use BASE/QUOTE, or BASE/QUOTE:SETTLE for futures`);
}

/** Paths of a pair's files below the data folder. */
export interface PairPaths {
  readonly trades: string;
  candles(timeframe: string): string;
}

export function pairPaths(pair: string): PairPaths {
  const isFutures = pair.includes(':');
  const name = `${isFutures ? 'futures/' : ''}${toSafeFileName(pair.replace(/[/:.@$+ ]/g, '_'))}`;
  return {
    trades: `${name}-trades.feather`,
    candles: (timeframe) => `${name}-${timeframe}${isFutures ? '-futures' : ''}.feather`,
  };
}
