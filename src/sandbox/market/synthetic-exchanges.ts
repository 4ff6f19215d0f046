import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { addDays, type Day, formatDay, parseDay, parseTimeToDay } from '../../day-files/day.js';
import { EXCHANGE_OUTLINES, type ExchangeOutline, type SymbolOutline } from './exchange-outlines.js';

/** A dataset symbol of an exchange record (`docs/spec/metadata-api.md#exchange-record`). */
export interface SandboxDatasetSymbol {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly availableSince: string;
  /** ISO 8601; for a listed symbol, the end of the export. */
  readonly availableTo?: string;
  readonly dataTypes: readonly string[];
}

/** A symbol as in filters of the raw data API (`docs/spec/metadata-api.md#exchange-record`). */
export type SandboxAvailableSymbol = Omit<SandboxDatasetSymbol, 'dataTypes'>;

export interface SandboxDatasets {
  readonly formats: readonly string[];
  readonly exportedFrom: string;
  /** Not included. */
  readonly exportedUntil: string;
  readonly stats: { readonly trades: number; readonly bookChanges: number };
  readonly symbols: readonly SandboxDatasetSymbol[];
}

/** An exchange record of the metadata host (`docs/spec/metadata-api.md#exchange-record`). */
export interface SandboxExchange {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly supportsDatasets: boolean;
  readonly availableSince: string;
  readonly availableTo?: string;
  readonly delisted?: boolean;
  readonly availableChannels: readonly string[];
  readonly availableSymbols: readonly SandboxAvailableSymbol[];
  readonly incidentReports: readonly unknown[];
  readonly channelDetails: readonly unknown[];
  readonly datasets?: SandboxDatasets;
}

/** The synthetic exchanges, exported up to this day (not included). @param rows rows of each day file. */
export function createSyntheticExchanges(exportedUntil: Day, rows: number): readonly SandboxExchange[] {
  return EXCHANGE_OUTLINES.map((outline) => createExchange(outline, exportedUntil, rows));
}

/** Midnight of the day, in the service's format. */
export function formatMidnight(day: Day): string {
  return `${formatDay(day)}T00:00:00.000Z`;
}

/** Converts a dataset symbol to one of `availableSymbols`. */
export function toAvailableSymbol(
  exchange: string,
  { dataTypes: _, ...symbol }: SandboxDatasetSymbol,
): SandboxAvailableSymbol {
  return { ...symbol, id: toFeedSymbol(exchange, symbol.id) };
}

function createExchange(outline: ExchangeOutline, exportedUntil: Day, rows: number): SandboxExchange {
  const until = outline.until ?? formatMidnight(exportedUntil);
  const symbols = outline.symbols
    .map((symbol) => createDatasetSymbol(outline, symbol, exportedUntil, until))
    .filter((symbol) => symbol.availableSince < formatMidnight(exportedUntil));
  return {
    ...createSummary(outline),
    availableSymbols: symbols.map((symbol) => toAvailableSymbol(outline.id, symbol)),
    incidentReports: [
      {
        from: formatMidnight(addDays(parseDay(outline.since), 40)),
        to: `${formatDay(addDays(parseDay(outline.since), 40))}T00:12:00.000Z`,
        status: 'resolved',
        details: 'made-up: the collecting connection was down',
      },
    ],
    channelDetails: outline.channels.map((name) => ({
      name,
      description: `made-up channel ${name}`,
      availableSince: `${outline.since}T00:00:00.000Z`,
      apiVersion: 'v1',
    })),
    ...(outline.supportsDatasets === false
      ? {}
      : {
          datasets: {
            formats: ['csv'],
            exportedFrom: `${outline.since}T00:00:00.000Z`,
            exportedUntil: until,
            stats: {
              trades: rows * countExportedDays(symbols, 'trades'),
              bookChanges: rows * countExportedDays(symbols, 'incremental_book_L2'),
            },
            symbols,
          },
        }),
  };
}

/** Sum of the exported days of all symbols with the data type. Grouped symbols only repeat others. */
function countExportedDays(symbols: readonly SandboxDatasetSymbol[], dataType: string): number {
  let days = 0;
  for (const { id, dataTypes, availableSince, availableTo = '' } of symbols) {
    if (GROUPED_SYMBOLS.has(id)) continue;
    const since = parseTimeToDay(availableSince);
    const until = parseTimeToDay(availableTo);
    if (dataTypes.includes(dataType) && since !== undefined && until !== undefined) days += until - since;
  }
  return days;
}

function createSummary(
  outline: ExchangeOutline,
): Omit<SandboxExchange, 'availableSymbols' | 'incidentReports' | 'channelDetails'> {
  return {
    id: outline.id,
    name: outline.name,
    enabled: true,
    ...(outline.until === undefined ? {} : { delisted: true }),
    supportsDatasets: outline.supportsDatasets ?? true,
    availableSince: `${outline.since}T00:00:00.000Z`,
    ...(outline.until === undefined ? {} : { availableTo: outline.until }),
    availableChannels: outline.channels,
  };
}

function createDatasetSymbol(
  exchange: ExchangeOutline,
  symbol: SymbolOutline,
  exportedUntil: Day,
  until: string,
): SandboxDatasetSymbol {
  const since =
    symbol.listedDaysAgo === undefined
      ? `${symbol.since ?? exchange.since}T00:00:00.000Z`
      : formatMidnight(addDays(exportedUntil, -symbol.listedDaysAgo));
  return {
    id: symbol.id,
    type: symbol.type,
    availableSince: since,
    availableTo: symbol.until ?? until,
    dataTypes: symbol.dataTypes,
  };
}

/** Exchanges with lower-case symbols in channels, and so everywhere except in datasets. */
const LOWER_CASE: ReadonlySet<string> = new Set([
  'binance',
  'binance-us',
  'binance-futures',
  'binance-delivery',
  'huobi',
]);

/** The name of a dataset symbol in filters of the raw data API, records and instruments: `btcusdt` at Binance. */
export function toFeedSymbol(exchange: string, symbol: string): string {
  return LOWER_CASE.has(exchange) ? symbol.toLowerCase() : symbol;
}
