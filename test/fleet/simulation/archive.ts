import { yieldToEventLoop } from '../../../src/base/wait.js';
import type { DayFile } from '../../../src/day-files/day-file.js';
import { shardIndex } from '../../../src/day-files/shard.js';
import { createDownloadPlan, type DownloadPlan } from '../../../src/download/plan/create-download-plan.js';
import type { PinnedPlan } from '../../../src/download/plan/pinned-plan.js';
import { FILES_BEFORE_YIELD } from '../../../src/download/plan/report-plan.js';
import type { ExchangeRecord } from '../../../src/service/records/fetch-records.js';
import type { Manifest } from '../../../src/store/manifest/manifest.js';
import { DOWNLOAD_DEFAULTS } from '../../helpers/download-settings.js';

const DATA_TYPES = ['trades', 'quotes', 'book_snapshot_5', 'liquidations'] as const;
/** Whole months. */
const FROM = '2019-01-01';
const TO = '2024-01-01';

export const SERIES_PER_SYMBOL = DATA_TYPES.length;
/** Files per series, and slices per series. */
export const DAYS = (Date.parse(TO) - Date.parse(FROM)) / 86_400_000;
export const MONTHS = 60;

/** Inputs of a plan with this many symbols, each available for five years. */
export function createPlanInputs(count: number): PinnedPlan {
  const times = { availableSince: `${FROM}T00:00:00.000Z`, availableTo: `${TO}T00:00:00.000Z` };
  const symbols = Array.from({ length: count }, (_, at) => ({
    id: `COIN${at}USDT`,
    type: 'perpetual',
    ...times,
    dataTypes: [...DATA_TYPES],
  }));
  const record: ExchangeRecord = {
    id: 'made-up',
    datasets: { exportedFrom: times.availableSince, exportedUntil: times.availableTo, symbols },
  };
  const selection = {
    ...{ exchange: 'made-up', types: ['all'], symbols: ['all'], from: FROM, to: TO },
    layout: 'hive',
  };
  return { selection, record };
}

const NOTHING: Manifest = {
  size: 0,
  history: { daySize: () => undefined, bytesPerSecond: () => undefined },
  has: () => false,
  get: () => undefined,
  records: () => [].values(),
  reread: async () => NOTHING,
  append: async () => {},
  flush: async () => {},
  flushSoon: () => {},
  close: async () => {},
};

/** A plan for a destination that is always empty. */
export function createPlan(inputs: PinnedPlan): Promise<DownloadPlan> {
  return createDownloadPlan({
    ...inputs,
    manifest: NOTHING,
    destination: { openLookup: async () => ({ has: () => false, get: () => undefined }) },
    options: DOWNLOAD_DEFAULTS,
    mayRead: () => true,
  });
}

/** Number of day files, and a checksum of them that does not depend on their order or their worker. */
export class Count {
  files = 0;
  sum = 0;

  add(file: DayFile): void {
    this.files++;
    this.sum = (this.sum + shardIndex(file, 2 ** 32)) >>> 0;
  }

  addAll({ files, sum }: Pick<Count, 'files' | 'sum'>): void {
    this.files += files;
    this.sum = (this.sum + sum) >>> 0;
  }
}

export async function countFiles(
  { filesInPathOrder }: Pick<DownloadPlan, 'filesInPathOrder'>,
  count: Count,
): Promise<void> {
  for (const { file } of filesInPathOrder()) {
    count.add(file);
    if (count.files % FILES_BEFORE_YIELD === 0) await yieldToEventLoop();
  }
}
