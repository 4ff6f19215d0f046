import type { TickhaulError } from '../../base/errors.js';
import { isSystemError, usageError } from '../../base/errors.js';
import type { SourceTypeName } from '../../market/names/data-type-name.js';

/** A date with what it lacks below the millisecond, as the vendor's normalizers take and give it. */
export type MicroDate = Date & { μs?: number };

/** A normalizer as the vendor's package has it ("mapper" there). */
export interface VendorMapper {
  getFilters(symbols?: string[]): readonly { readonly channel: string; readonly symbols?: string[] }[];
  canHandle(message: unknown): boolean;
  map(message: unknown, localTimestamp: MicroDate): Iterable<VendorMessage> | undefined;
}

export interface VendorMessage {
  readonly type: SourceTypeName;
  readonly symbol: string;
  readonly timestamp: MicroDate;
  readonly [field: string]: unknown;
}

/** @throws where the exchange has no such type. */
export type MapperFactory = (exchange: string, localTimestamp: Date) => VendorMapper;

export type MapperFactories = Readonly<Record<SourceTypeName, MapperFactory>>;

/** The release whose faults `refusals.ts` knows; package.json has the same. */
export const VENDOR_PACKAGE = 'tardis-dev@13.35.3';

const FACTORY_NAMES = {
  trade: 'normalizeTrades',
  book_change: 'normalizeBookChanges',
  derivative_ticker: 'normalizeDerivativeTickers',
  liquidation: 'normalizeLiquidations',
  option_summary: 'normalizeOptionsSummary',
  book_ticker: 'normalizeBookTickers',
} as const satisfies Record<SourceTypeName, string>;

/**
 * The vendor's own normalizers, of npm tardis-dev (MPL-2.0), and nothing else of it: it takes 60 ms and 16 MB, so it is
 * loaded when it is needed.
 * @throws usage error where the package isn't installed, or is another release.
 */
export async function loadVendor(): Promise<MapperFactories> {
  const loaded = await importVendor(() => import('tardis-dev/dist/mappers/index.js'));
  const factories: Partial<Record<SourceTypeName, MapperFactory>> = {};
  for (const [type, name] of Object.entries(FACTORY_NAMES)) {
    const factory = loaded[name];
    if (typeof factory !== 'function') throw notThere('is another release than the one that is known');
    factories[type as SourceTypeName] = factory as MapperFactory;
  }
  return factories as MapperFactories;
}

/** Ids of the exchanges that the package knows. @throws usage error as `loadVendor`. */
export async function vendorExchanges(): Promise<readonly string[]> {
  const { EXCHANGES } = await importVendor(() => import('tardis-dev/dist/consts.js'));
  return Array.isArray(EXCHANGES) ? EXCHANGES.map(String) : [];
}

/** A part of the package, by what it exports. @throws usage error where it isn't there. */
export async function importVendor(load: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await load()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const code = isSystemError(error) ? error.code : undefined;
    if (code === 'ERR_MODULE_NOT_FOUND') throw notThere('is not installed');
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      throw notThere('is another release than the one that is known');
    }
    throw notThere(`can't be loaded (${error instanceof Error ? error.message : String(error)})`);
  }
}

export function notThere(what: string): TickhaulError {
  return usageError(
    `messages from feeds are normalized by the package tardis-dev, which ${what}: npm install ${VENDOR_PACKAGE}, or use --source datasets`,
  );
}
