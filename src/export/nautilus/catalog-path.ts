import type { CatalogType } from './catalog-columns.js';

/** Folders of types whose name differs in a catalog of the Rust version. */
const RUST_FOLDERS: Partial<Readonly<Record<CatalogType, string>>> = {
  trade_tick: 'trades',
  quote_tick: 'quotes',
  bar: 'bars',
};

/**
 * Path of a file in a catalog (docs/spec/nautilus-catalog.md#paths).
 * @param identifier instrument id, or bar type.
 * @param first time of the first row, and `last` of the last row, in nanoseconds.
 */
export function formatCatalogPath(
  catalog: 'python' | 'rust',
  type: CatalogType,
  identifier: string,
  first: bigint,
  last: bigint,
): string {
  const folder = (catalog === 'rust' ? RUST_FOLDERS[type] : undefined) ?? type;
  const name = formatCatalogName(catalog, identifier);
  return `data/${folder}/${name}/${formatTime(first)}_${formatTime(last)}.parquet`;
}

/** Name of the folder of an instrument id or bar type. */
export function formatCatalogName(catalog: 'python' | 'rust', identifier: string): string {
  const name = identifier.replaceAll('/', '');
  return catalog === 'rust' ? name.replaceAll('^', '_') : name;
}

/** `2024-03-01T00-00-00-000009000Z`. */
function formatTime(nanoseconds: bigint): string {
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, '0');
  return `${seconds.replaceAll(':', '-')}-${fraction}Z`;
}
