import type { ExportTarget } from '../export-target.js';
import type { CatalogSourceType } from './catalog-tables.js';
import { type NautilusOptions, readNautilusOptions } from './nautilus-options.js';

const DATA_TYPES: readonly CatalogSourceType[] = [
  'trades',
  'quotes',
  'book_ticker',
  'incremental_book_L2',
  'book_snapshot_5',
  'book_snapshot_25',
];

/** The Parquet catalog of NautilusTrader (docs/spec/nautilus-catalog.md#paths). */
export const nautilus: ExportTarget<NautilusOptions> = {
  version: 1,
  hasDayFolders: true,
  dataTypes: DATA_TYPES,
  flags: ['catalog', 'precision', 'price-precision', 'size-precision', 'instrument-id', 'as'],
  readSettings: readNautilusOptions,
  async check(sources, options) {
    const { checkSources } = await import('./plan-catalog.js');
    checkSources(sources, options);
  },
  async plan(sources, options, context) {
    const { planCatalog } = await import('./plan-catalog.js');
    return planCatalog(sources, options, context);
  },
  async loadExporter() {
    const { exportCatalog } = await import('./export-catalog.js');
    return exportCatalog;
  },
};
