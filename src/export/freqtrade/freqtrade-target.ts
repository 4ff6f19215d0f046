import type { ExportTarget } from '../export-target.js';
import { type FreqtradeSettings, readFreqtradeSettings } from './freqtrade-settings.js';
import { checkSeries, planPairs } from './plan-pairs.js';

/** Feather files of trades and candles for freqtrade (docs/spec/freqtrade-files.md#names). */
export const freqtrade: ExportTarget<FreqtradeSettings> = {
  version: 1,
  dataTypes: ['trades'],
  flags: ['timeframe', 'pair'],
  readSettings: readFreqtradeSettings,
  async check(sources, settings) {
    checkSeries(sources, settings);
  },
  plan: planPairs,
  loadExporter: async () => (await import('./export-pairs.js')).createPairExporter(),
};
