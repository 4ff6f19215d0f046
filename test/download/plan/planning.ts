import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { formatDay, isFirstDayOfMonth } from '../../../src/day-files/day.js';
import type {
  ConvertSetting,
  Existing,
  PlannedFile,
  Selection,
} from '../../../src/download/download-options.js';
import { createDownloadPlan } from '../../../src/download/plan/create-download-plan.js';
import type { ExchangeRecord } from '../../../src/service/records/fetch-records.js';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { DOWNLOAD_DEFAULTS } from '../../helpers/download-settings.js';
import { tempDir } from '../../helpers/temp.js';

/** Inputs of a plan. */
export const RECORD: ExchangeRecord = {
  id: 'deribit',
  datasets: {
    exportedFrom: '2020-01-01T00:00:00.000Z',
    exportedUntil: '2024-03-10T00:00:00.000Z',
    symbols: [
      symbol('BTC-PERPETUAL', 'perpetual', ['trades', 'quotes']),
      symbol('ETH-PERPETUAL', 'perpetual', ['trades', 'quotes'], '2024-03-05T08:00:00.000Z'),
      symbol('BTC-29MAR24', 'future', ['trades']),
      symbol('BTC-1MAR24', 'future', ['trades'], '2024-01-01T00:00:00.000Z', '2024-03-01T08:00:00.000Z'),
      symbol('OPTIONS', 'option', ['options_chain']),
    ],
  },
};

/** A symbol of an exchange record. */
export function symbol(
  id: string,
  type: string,
  dataTypes: string[],
  since = '2020-01-01T00:00:00.000Z',
  to?: string,
) {
  return { id, type, dataTypes, availableSince: since, ...(to !== undefined && { availableTo: to }) };
}

interface Options {
  readonly convert?: ConvertSetting;
  readonly hasKey?: boolean;
  readonly existing?: Existing;
  readonly dir?: string;
  readonly record?: ExchangeRecord;
}

/** Plans against that record, in an empty folder by default. */
export async function plan(t: TestContext, selection: Partial<Selection>, options: Options = {}) {
  const dir = options.dir ?? (await tempDir(t));
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  cleanUp(t, () => manifest.close());
  return createDownloadPlan({
    selection: {
      exchange: 'deribit',
      types: ['trades'],
      symbols: ['BTC-PERPETUAL'],
      layout: 'flat',
      ...selection,
    },
    record: options.record ?? RECORD,
    manifest,
    destination: openFolderDestination(dir),
    options: { ...DOWNLOAD_DEFAULTS, existing: options.existing ?? 'skip', convert: options.convert },
    mayRead: ({ day }) => (options.hasKey ?? true) || isFirstDayOfMonth(day),
  });
}

/** The days of a plan, in its order. */
export const days = (files: Iterable<PlannedFile>): string[] => [...files].map((p) => formatDay(p.file.day));
/** Each file of a plan with its status, in its order. */
export const reported = (files: Iterable<PlannedFile>): string[] =>
  [...files].map((p) => `${p.file.symbol} ${p.file.dataType} ${formatDay(p.file.day)} ${p.status}`);
