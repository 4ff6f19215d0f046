import { isSystemError, type TickhaulError, usageError } from '../base/errors.js';
import { MESSAGE_LAYOUTS, type OneRowMessageType } from '../market/lines/message-layouts.js';
import type { MessageRecord } from '../market/message-record.js';
import type { ExchangeMessageTypeName } from '../market/message-type-name.js';
import type { PriceLevel, TradeSide } from '../market/messages.js';
import type { FeedFilter } from '../service/feed-filter.js';
import { toFields } from './message-fields.js';
import { createTradeTextParser } from './message-text/trade-text.js';
import type { Normalizer } from './normalizer.js';

/** A date with microseconds, as the vendor's normalizers use it. */
type MicroDate = Date & { μs?: number };

/** A normalizer of the vendor's package, which calls it a mapper. */
interface VendorMapper {
  getFilters(symbols?: string[]): readonly { readonly channel: string; readonly symbols?: string[] }[];
  canHandle(message: unknown): boolean;
  map(message: unknown, localTimestamp: MicroDate): Iterable<VendorMessage> | undefined;
}

interface VendorMessage {
  readonly type: ExchangeMessageTypeName;
  readonly symbol: string;
  readonly timestamp: MicroDate;
  readonly [field: string]: unknown;
}

/** @throws if the exchange has no messages of the type. */
type MapperFactory = (exchange: string, localTimestamp: Date) => VendorMapper;

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

/** The vendor's normalizers apply the rules of live connections to times within this distance of now. */
const LIVE_MS = 4 * 60_000;

/**
 * Creates the vendor's normalizer of a type; undefined if the package has none for the exchange.
 * @param at microseconds; selects the version of the exchange's API. A replay uses the rules of replays, even
 * for recent messages.
 * @param isLive whether to use the rules of live connections instead, as of now.
 */
export function createVendorNormalizer(
  factories: MapperFactories,
  exchange: string,
  type: ExchangeMessageTypeName,
  at: number,
  isLive = false,
): Normalizer | undefined {
  const mapper = createMapper(
    factories,
    exchange,
    type,
    isLive ? Date.now() : Math.min(at / 1000, Date.now() - LIVE_MS),
  );
  if (mapper === undefined) return undefined;
  const isFuturesBook = type === 'book_change' && /^binance-(?:futures|delivery)$/.test(exchange);
  const toRecord = BINANCE.test(exchange) ? toBinanceRecord : toMessageRecord;
  const readTrade = type === 'trade' ? createTradeTextParser(exchange) : undefined;
  return {
    kind: describeMapper(mapper),
    filters: (symbols) => readMapperFilters(mapper, symbols),
    handles: (message) => mapper.canHandle(message),
    read(original, localTimestamp, emit) {
      const message = isFuturesBook ? joinToSnapshot(original) : original;
      if (!mapper.canHandle(message)) return;
      const messages = mapper.map(message, usToMicroDate(localTimestamp));
      if (messages === undefined) return;
      for (const vendorMessage of messages) emit(toRecord(vendorMessage, localTimestamp));
    },
    readText:
      readTrade &&
      ((text, localTimestamp, emit) => {
        const trade = readTrade(text, localTimestamp);
        if (trade) emit(trade);
        return trade !== undefined;
      }),
  };
}

/**
 * The vendor's release accepts as first change only one that contains the number of the snapshot, and throws for
 * one whose previous change (`pu`) has this number, although it continues the snapshot. With the number of the
 * previous change as its first, it accepts both.
 */
function joinToSnapshot(message: unknown): unknown {
  const { data } = toFields(message);
  const { pu } = toFields(data);
  return pu === undefined ? message : { ...toFields(message), data: { ...toFields(data), U: pu } };
}

const BINANCE = /^binance(?:-us|-jersey|-futures|-delivery)?$/;

/** A snapshot with the changes that waited for it: levels that these have removed are no levels of the book. */
function toBinanceRecord(message: VendorMessage, localTimestamp: number): MessageRecord {
  const record = toMessageRecord(message, localTimestamp);
  if (record.type !== 'book_change' || !record.isSnapshot) return record;
  const remains = ({ amount }: PriceLevel): boolean => amount !== 0;
  return { ...record, bids: record.bids.filter(remains), asks: record.asks.filter(remains) };
}

function createMapper(
  factories: MapperFactories,
  exchange: string,
  type: ExchangeMessageTypeName,
  ms: number,
): VendorMapper | undefined {
  try {
    return factories[type](exchange, new Date(ms));
  } catch (error) {
    if (error instanceof Error && error.message.endsWith(`${exchange} not supported`)) return undefined;
    throw error;
  }
}

function readMapperFilters(
  mapper: VendorMapper,
  symbols: readonly string[] | undefined,
): readonly FeedFilter[] {
  return mapper
    .getFilters(symbols && [...symbols])
    .map(({ channel, symbols }) => (symbols === undefined ? { channel } : { channel, symbols }));
}

/**
 * Identifies a mapper by its class, its options and its channels, since the package does not export the days
 * of changes.
 */
function describeMapper(mapper: VendorMapper): string {
  const options = Object.entries(mapper).filter(([, value]) => value !== null && typeof value !== 'object');
  const plainOptions = options.filter(([, value]) => typeof value !== 'function');
  return JSON.stringify([mapper.constructor.name, plainOptions, mapper.getFilters()]);
}

/** @param time microseconds. */
function usToMicroDate(time: number): MicroDate {
  const ms = Math.floor(time / 1000);
  const date: MicroDate = new Date(ms);
  date.μs = time - ms * 1000;
  return date;
}

/**
 * Converts a message of the vendor's normalizers to a record. Amounts given as text become numbers, and an
 * invalid time is replaced by the local time.
 * @param localTimestamp microseconds.
 */
function toMessageRecord(message: VendorMessage, localTimestamp: number): MessageRecord {
  const { type, symbol } = message;
  const time = microDateToUs(message.timestamp);
  const isTime = Number.isSafeInteger(time);
  const timestamp = isTime ? time : localTimestamp;
  const micros = !isTime || message.timestamp.μs !== undefined;
  switch (type) {
    case 'trade':
    case 'liquidation':
      return {
        type,
        symbol,
        id: toTextField(message['id']),
        price: Number(message['price']),
        amount: Number(message['amount']),
        side: (message['side'] ?? 'unknown') as TradeSide,
        timestamp,
        micros,
        localTimestamp,
      };
    case 'book_change':
      return {
        type,
        symbol,
        isSnapshot: message['isSnapshot'] as boolean,
        bids: message['bids'] as readonly PriceLevel[],
        asks: message['asks'] as readonly PriceLevel[],
        timestamp,
        micros,
        localTimestamp,
      };
    default:
      return { type, symbol, ...toRecordFields(message), timestamp, micros, localTimestamp } as MessageRecord;
  }
}

/** Fields between the symbol and the times, for types that are one row in day files. */
function toRecordFields(message: VendorMessage): object {
  const fields: Record<string, unknown> = {};
  for (const { key, kind } of MESSAGE_LAYOUTS[message.type as OneRowMessageType]) {
    const value = message[key];
    fields[key] =
      kind === 'number' ? toNumberField(value) : kind === 'time' ? toTimeField(value) : toTextField(value);
  }
  return fields;
}

function toNumberField(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

function toTextField(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Microseconds. */
function toTimeField(value: unknown): number | undefined {
  const time = value instanceof Date ? microDateToUs(value) : Number.NaN;
  return Number.isSafeInteger(time) ? time : undefined;
}

function microDateToUs(date: MicroDate): number {
  return date.getTime() * 1000 + Math.trunc(date.μs ?? 0);
}
