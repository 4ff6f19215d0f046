import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import { addDays, type Day, formatDay, parseDay, parseTimeToDay } from '../../dataset/day.js';
import { EXCHANGE_OUTLINES, type ExchangeOutline, type SymbolOutline } from './exchange-outlines.js';
import { feedSymbol } from './feed-symbol.js';

/** A dataset symbol of a record (service facts, Metadata). */
export interface DatasetSymbol {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly availableSince: string;
  /** ISO 8601; of a listed symbol the export's end. */
  readonly availableTo?: string;
  readonly dataTypes: readonly string[];
}

/** A symbol as filters of the raw data API take it (service facts, Metadata). */
export type AvailableSymbol = Omit<DatasetSymbol, 'dataTypes'>;

export interface Datasets {
  readonly formats: readonly string[];
  readonly exportedFrom: string;
  /** Not included. */
  readonly exportedUntil: string;
  readonly stats: { readonly trades: number; readonly bookChanges: number };
  readonly symbols: readonly DatasetSymbol[];
}

/** An exchange record as the metadata host gives it (service interface, Exchange record; service facts, Metadata). */
export interface ExchangeRecord {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly supportsDatasets: boolean;
  readonly availableSince: string;
  readonly availableTo?: string;
  readonly delisted?: boolean;
  readonly availableChannels: readonly string[];
  readonly availableSymbols: readonly AvailableSymbol[];
  readonly incidentReports: readonly unknown[];
  readonly channelDetails: readonly unknown[];
  readonly datasets?: Datasets;
}

/** The made-up exchanges, exported up to this day (not included). @param rows of each day file. */
export function madeUpExchanges(exportedUntil: Day, rows: number): readonly ExchangeRecord[] {
  return EXCHANGE_OUTLINES.map((outline) => exchangeRecord(outline, exportedUntil, rows));
}

/** Midnight of the day, as the service writes times. */
export function isoTime(day: Day): string {
  return `${formatDay(day)}T00:00:00.000Z`;
}

/** A dataset symbol as it stands among those of the exchange's channels. */
export function availableSymbol(
  exchange: string,
  { dataTypes: _, ...symbol }: DatasetSymbol,
): AvailableSymbol {
  return { ...symbol, id: feedSymbol(exchange, symbol.id) };
}

function exchangeRecord(outline: ExchangeOutline, exportedUntil: Day, rows: number): ExchangeRecord {
  const until = outline.until ?? isoTime(exportedUntil);
  const symbols = outline.symbols
    .map((symbol) => datasetSymbol(outline, symbol, exportedUntil, until))
    .filter((symbol) => symbol.availableSince < isoTime(exportedUntil));
  return {
    ...summary(outline),
    availableSymbols: symbols.map((symbol) => availableSymbol(outline.id, symbol)),
    incidentReports: [
      {
        from: isoTime(addDays(parseDay(outline.since), 40)),
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
              trades: rows * daysOf(symbols, 'trades'),
              bookChanges: rows * daysOf(symbols, 'incremental_book_L2'),
            },
            symbols,
          },
        }),
  };
}

/** Exported days of all symbols that have the data type; grouped files repeat them. */
function daysOf(symbols: readonly DatasetSymbol[], dataType: string): number {
  let days = 0;
  for (const { id, dataTypes, availableSince, availableTo = '' } of symbols) {
    if (GROUPED_SYMBOLS.has(id)) continue;
    const since = parseTimeToDay(availableSince);
    const until = parseTimeToDay(availableTo);
    if (dataTypes.includes(dataType) && since !== undefined && until !== undefined) days += until - since;
  }
  return days;
}

function summary(
  outline: ExchangeOutline,
): Omit<ExchangeRecord, 'availableSymbols' | 'incidentReports' | 'channelDetails'> {
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

function datasetSymbol(
  exchange: ExchangeOutline,
  symbol: SymbolOutline,
  exportedUntil: Day,
  until: string,
): DatasetSymbol {
  const since =
    symbol.listedDaysAgo === undefined
      ? `${symbol.since ?? exchange.since}T00:00:00.000Z`
      : isoTime(addDays(exportedUntil, -symbol.listedDaysAgo));
  return {
    id: symbol.id,
    type: symbol.type,
    availableSince: since,
    availableTo: symbol.until ?? until,
    dataTypes: symbol.dataTypes,
  };
}
