import {
  type CoverageDocument,
  type SeriesJson,
  toCoverageDocument,
} from '../describe/coverage/coverage-facts.js';
import type { EventSink } from '../events/run-events.js';
import type { MessageSupport } from '../exchange-adapters/message-support.js';
import type { ExchangeMessageTypeName } from '../market/message-type-name.js';
import { type Context, withContext } from '../operations/context.js';
import { expandHomeInArgs } from '../operations/expand-home.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { type OptionGroup, settingNameOf } from '../options/option-definition.js';
import { type CommandValues, readCommandOptions } from '../options/read-options.js';
import { findSignal, type NoticeEvent } from './event-run.js';
import type {
  CoverageOptions,
  ExchangesOptions,
  InstrumentsOptions,
  SymbolsOptions,
} from './function-options.js';
import { flagsToOptionsInError, OPTION_TABLES, type OptionTable, optionsToArgs } from './options-to-args.js';
import { createLibraryHost, type EventQueue, type Run, startRun, toJsonValue } from './start-run.js';
import type { DataTypeName } from './text-list.js';

/** Further fields, as the service sent them (docs/spec/metadata-api.md#exchange-record). */
interface ServiceFields {
  readonly [field: string]: unknown;
}

/** An exchange, as in the list of all. Times are ISO 8601, UTC. */
export interface ExchangeJson extends ServiceFields {
  readonly id: string;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly delisted?: boolean | undefined;
  /** Whether day files exist. */
  readonly supportsDatasets?: boolean | undefined;
  readonly availableSince?: string | undefined;
  readonly availableTo?: string | undefined;
  /** What tickhaul can do with the exchange's own messages; types that it cannot read are absent. */
  readonly messages: Readonly<Partial<Record<ExchangeMessageTypeName, MessageSupport>>>;
}

/** A dataset symbol. Times are ISO 8601, UTC. */
interface SymbolFields extends ServiceFields {
  /** The name in day files and selections. */
  readonly id: string;
  /** May have types that the service has added since this version. */
  readonly dataTypes: readonly DataTypeName[];
  /** spot, future, perpetual, option, combo … */
  readonly type?: string | undefined;
  readonly availableSince?: string | undefined;
  readonly availableTo?: string | undefined;
}

/** The record of an exchange. */
export interface ExchangeRecordJson extends ExchangeJson {
  /** Absent if the exchange has no day files. */
  readonly datasets?:
    | (ServiceFields & {
        readonly exportedFrom?: string | undefined;
        /** First day that is not exported. */
        readonly exportedUntil: string;
        readonly symbols: readonly SymbolFields[];
      })
    | undefined;
}

/** A dataset symbol, with the id of its exchange. */
export interface DatasetSymbolJson extends SymbolFields {
  readonly exchange: string;
}

/** An instrument of an exchange. Times are ISO 8601, UTC. */
export interface InstrumentJson extends ServiceFields {
  /** As the exchange writes it: the name in raw data. */
  readonly id: string;
  readonly exchange: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  /** spot, perpetual, future, option, combo, prediction … */
  readonly type: string;
  readonly active: boolean;
  readonly availableSince: string;
  readonly availableTo?: string | undefined;
  /** Dataset symbol; absent until the symbol is exported. */
  readonly datasetId?: string | undefined;
  readonly contractType?: string | undefined;
}

/** An element of the result; the name of the event says of which function. */
export type RecordEvent<Name extends string, Element> = Element & { readonly event: Name };

/** The run of a function that reads records: a promise of the result, and an async iterable of its elements. */
export type RecordRun<Name extends string, Element, Result> = Run<
  RecordEvent<Name, Element> | NoticeEvent,
  Result
>;

/**
 * Fetches the record of one exchange, like `tickhaul exchanges <exchange>`.
 * @throws TickhaulError `usage` for an unknown exchange, with the nearest known ids.
 */
export function exchanges(
  options: ExchangesOptions & { readonly exchange: string },
): RecordRun<'exchange', ExchangeRecordJson, ExchangeRecordJson>;
/** Lists all exchanges, like `tickhaul exchanges`. A copy that is younger than an hour is used. */
export function exchanges(
  options?: ExchangesOptions & { readonly exchange?: undefined },
): RecordRun<'exchange', ExchangeJson, readonly ExchangeJson[]>;
export function exchanges(options: ExchangesOptions = {}): RecordRun<'exchange', object, unknown> {
  return startRecordRun(
    'exchange',
    OPTION_TABLES.exchanges,
    COMMAND_OPTIONS.exchanges,
    options,
    async (values, context) => {
      const { fetchExchangeList, fetchExchangeRecord, withMessageSupport } = await import(
        '../operations/list-exchanges.js'
      );
      const result =
        values.exchange === undefined
          ? await Promise.all((await fetchExchangeList(context)).map(withMessageSupport))
          : await withMessageSupport(await fetchExchangeRecord(values.exchange, context));
      return { result: toJsonValue(result) };
    },
  );
}

/**
 * Lists dataset symbols of one, several or all exchanges, like `tickhaul symbols`. Copies of records that are younger than
 * an hour are used.
 * @returns a promise of the symbols, and an async iterable of them.
 * @throws TickhaulError, from both, if records of exchanges are missing; the iterable first has the symbols of the others.
 */
export function symbols(
  options: SymbolsOptions = {},
): RecordRun<'symbol', DatasetSymbolJson, readonly DatasetSymbolJson[]> {
  return startRecordRun(
    'symbol',
    OPTION_TABLES.symbols,
    COMMAND_OPTIONS.symbols,
    options,
    async (values, context) => {
      const { searchSymbols } = await import('../operations/list-symbols.js');
      const { symbols: result, error } = await searchSymbols(values, context);
      return { result, error };
    },
  ) as RecordRun<'symbol', DatasetSymbolJson, readonly DatasetSymbolJson[]>;
}

/**
 * Fetches one instrument by its symbol in any case, like `tickhaul instruments <exchange> <symbol>`.
 * @throws TickhaulError `usage` for an unknown symbol, with the nearest known ones.
 */
export function instruments(
  options: InstrumentsOptions & { readonly symbol: string },
): RecordRun<'instrument', InstrumentJson, InstrumentJson>;
/** Lists the instruments of an exchange that match the filters, like `tickhaul instruments <exchange>`. */
export function instruments(
  options: InstrumentsOptions & { readonly symbol?: undefined },
): RecordRun<'instrument', InstrumentJson, readonly InstrumentJson[]>;
export function instruments(options: InstrumentsOptions): RecordRun<'instrument', object, unknown> {
  return startRecordRun(
    'instrument',
    OPTION_TABLES.instruments,
    COMMAND_OPTIONS.instruments,
    options,
    async (values, context) => {
      const { findInstruments } = await import('../operations/list-instruments.js');
      return { result: await findInstruments(values, context) };
    },
  );
}

/** One series of the coverage document. */
export interface SeriesEvent extends SeriesJson {
  readonly event: 'series';
}

export type CoverageEvent = SeriesEvent | NoticeEvent;

/**
 * Reads which days a download folder has, empty or missing ones included, like `tickhaul coverage`.
 * @returns a promise of the document, and an async iterable of its series.
 */
export function coverage(options: CoverageOptions = {}): Run<CoverageEvent, CoverageDocument> {
  return startRecordRun(
    'series',
    OPTION_TABLES.coverage,
    COMMAND_OPTIONS.coverage,
    options,
    async (values, context) => {
      const { createCoveragePage, readFolderCoverage } = await import('../operations/coverage.js');
      const { findOutput } = await import('../base/output-sink.js');
      const html = await findOutput('html', values.html);
      const folderCoverage = await readFolderCoverage(values, context);
      if (html) {
        const { writeReport } = await import('../describe/coverage/page/render-report.js');
        await writeReport(html, await createCoveragePage(folderCoverage), context);
      }
      const result = toJsonValue(toCoverageDocument(folderCoverage.facts));
      return { result, elements: result.series.map((series) => ({ event: 'series', ...series })) };
    },
  ) as Run<CoverageEvent, CoverageDocument>;
}

/**
 * @param find returns one record or several, their elements if those are not the records, and an error if others are
 * missing.
 */
function startRecordRun<Name extends string, Options extends OptionGroup>(
  event: Name,
  table: OptionTable,
  group: Options,
  options: unknown,
  find: (
    values: CommandValues<Options>,
    context: Context,
  ) => Promise<{
    readonly result: object;
    readonly elements?: readonly object[] | undefined;
    readonly error?: Error | undefined;
  }>,
): RecordRun<Name, object, unknown> {
  return startRun(
    findSignal(options),
    async (feed: EventQueue<RecordEvent<Name, object> | NoticeEvent>, signal) => {
      const warn = (message: string): void => feed.push({ event: 'warning', message });
      const emit: EventSink = (reported) => {
        if (reported.event === 'warning') warn(reported.message);
      };
      try {
        const host = createLibraryHost(signal, warn);
        const args = expandHomeInArgs(optionsToArgs(table, options), host.home);
        const values = readCommandOptions(group, args, settingNameOf);
        const found = await withContext(values, host, { emit }, (context) => find(values, context));
        const { result, elements = [result].flat(), error } = found;
        await feed.send(toEvents(elements, event));
        if (error) throw error;
        return result;
      } catch (thrown) {
        throw flagsToOptionsInError(thrown, table);
      }
    },
  );
}

/** Made as they are read, since there may be a million. */
function* toEvents<Name extends string>(
  elements: readonly object[],
  event: Name,
): Generator<RecordEvent<Name, object>> {
  for (const element of elements) yield { ...element, event };
}
