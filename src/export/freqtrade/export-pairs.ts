import type { Exporter, ExportIo, ExportJob } from '../export-target.js';
import type { JobSettings } from './freqtrade-settings.js';
import { JobPairs, PAIR_ADVICE, type TradeLimits } from './job-pairs.js';
import { PairExport } from './pair-export.js';
import { SortedTrades } from './sorted-trades.js';
import { parseTimeframe } from './timeframe.js';
import { TradesEncoder } from './trades-encoder.js';

/** The order of exchange times is rarely off by more than the trades held. */
const TRADE_LIMITS: TradeLimits = { held: 1 << 18, late: 1 << 20 };

/** Creates the exporter. @param limits smaller numbers for tests. */
export function createPairExporter(limits: Partial<TradeLimits> = {}): Exporter {
  return (job, io) => exportPairs(job, io, { ...TRADE_LIMITS, ...limits });
}

/**
 * Writes trades and candles of the pairs in the sources of a job. If some trades come so late that later ones were
 * written before, all sources are read again, and the files are written with the late trades at their places.
 * @throws TickhaulError `corrupt`, `disk`, errors of the store.
 */
async function exportPairs(job: ExportJob, io: ExportIo, limits: TradeLimits): Promise<void> {
  const settings = job.settings as JobSettings;
  const days = new Set<number>(job.sources.map(({ file }) => file.day));
  const timeframes = settings.timeframes.map(parseTimeframe);
  const encoder = new TradesEncoder();
  const readAll = async (late?: ReadonlyMap<string, SortedTrades>): Promise<JobPairs> => {
    const pairs = new JobPairs(settings, limits, (pair, symbol) => {
      const known = late && (late.get(pair) ?? new SortedTrades());
      const owner = { name: `${symbol ?? job.key} (${pair})`, advise: () => PAIR_ADVICE };
      return new PairExport(io, pair, owner, timeframes, days, known, encoder);
    });
    for (const source of job.sources)
      await io.read(source, { numberText: 'none' }, (batch) => pairs.add(batch));
    await pairs.end();
    return pairs;
  };
  const pairs = await readAll();
  const late = pairs.lateTrades();
  if (late) await readAll(late);
  io.leaveOut('no_pair', pairs.unpairedRows);
  for (const message of pairs.warnings()) io.warn(`${job.key}: ${message}`);
}
