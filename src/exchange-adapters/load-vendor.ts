import { isSystemError, type TickhaulError, usageError } from '../base/errors.js';
import type { ExchangeMessageTypeName } from '../market/message-type-name.js';

/** A date with microseconds, as the vendor's normalizers use it. */
export type MicroDate = Date & { μs?: number };

/** A normalizer of the vendor's package, which calls it a mapper. */
export interface VendorMapper {
  getFilters(symbols?: string[]): readonly { readonly channel: string; readonly symbols?: string[] }[];
  canHandle(message: unknown): boolean;
  map(message: unknown, localTimestamp: MicroDate): Iterable<VendorMessage> | undefined;
}

export interface VendorMessage {
  readonly type: ExchangeMessageTypeName;
  readonly symbol: string;
  readonly timestamp: MicroDate;
  readonly [field: string]: unknown;
}

/** @throws if the exchange has no messages of the type. */
export type MapperFactory = (exchange: string, localTimestamp: Date) => VendorMapper;

export type MapperFactories = Readonly<Record<ExchangeMessageTypeName, MapperFactory>>;

/** Supported release; package.json requires the same. */
export const VENDOR_PACKAGE = 'tardis-dev@13.35.3';

/**
 * Each name must be an export of the package. With one that is not, `loadVendor` refuses the package as an
 * unsupported release, for all types.
 */
const FACTORY_NAMES = {
  trade: 'normalizeTrades',
  book_change: 'normalizeBookChanges',
  derivative_ticker: 'normalizeDerivativeTickers',
  liquidation: 'normalizeLiquidations',
  option_summary: 'normalizeOptionsSummary',
  book_ticker: 'normalizeBookTickers',
} as const satisfies Record<ExchangeMessageTypeName, string>;

/**
 * Loads the vendor's own normalizers from npm tardis-dev (MPL-2.0), and nothing else of the package. This
 * takes 60 ms and 16 MB, so it happens on demand.
 * @throws usage error if the package is not installed, or is another release.
 */
export async function loadVendor(): Promise<MapperFactories> {
  const loaded = await importVendor(() => import('tardis-dev/dist/mappers/index.js'));
  const factories: Partial<Record<ExchangeMessageTypeName, MapperFactory>> = {};
  for (const [type, name] of Object.entries(FACTORY_NAMES)) {
    const factory = loaded[name];
    if (typeof factory !== 'function') throw createMissingExportError('is an unsupported release');
    factories[type as ExchangeMessageTypeName] = factory as MapperFactory;
  }
  return factories as MapperFactories;
}

/** Ids of the exchanges that the package supports. @throws usage error as `loadVendor`. */
export async function listVendorExchanges(): Promise<readonly string[]> {
  const { EXCHANGES } = await importVendor(() => import('tardis-dev/dist/consts.js'));
  return Array.isArray(EXCHANGES) ? EXCHANGES.map(String) : [];
}

/** Imports a module of the package. @throws usage error if it is not available. */
export async function importVendor(load: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await load()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const code = isSystemError(error) ? error.code : undefined;
    if (code === 'ERR_MODULE_NOT_FOUND') throw createMissingExportError('is not installed');
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
      throw createMissingExportError('is an unsupported release');
    }
    throw createMissingExportError(
      `cannot be loaded (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

export function createMissingExportError(what: string): TickhaulError {
  return usageError(
    `normalizing feeds needs the package tardis-dev, which ${what}; run npm install ${VENDOR_PACKAGE}, or use --source datasets`,
  );
}
