import { TARGET_OPTIONS } from '../../options/export-options.js';
import type { ExportFlags } from '../export-target.js';
import { parsePair } from './pair.js';
import { parseTimeframe } from './timeframe.js';

/** Values of the flags of freqtrade. */
export interface FreqtradeSettings {
  /** Names of timeframes, at least one. */
  readonly timeframes: readonly string[];
  /** Pair of the only symbol; undefined to find it in the metadata of its instrument. */
  readonly pair: string | undefined;
}

/** What the exporter of a job needs. Either `pair` or `pairs` is set. */
export interface JobSettings {
  readonly timeframes: readonly string[];
  readonly pair?: string;
  /** Pairs of a grouped symbol, by the symbols of rows in upper case. */
  readonly pairs?: Readonly<Record<string, string>>;
}

/** @throws usage error. */
export function readFreqtradeSettings({
  timeframe = TARGET_OPTIONS.timeframe.default,
  pair,
}: ExportFlags): FreqtradeSettings {
  const names = [...new Set([timeframe].flat())];
  return {
    timeframes: names.map((name) => parseTimeframe(name).name),
    pair: pair === undefined ? undefined : parsePair(String(pair)),
  };
}
