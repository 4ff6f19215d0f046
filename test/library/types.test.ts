/** Compiled but not run: types that the library accepts and rejects. */
import { test } from 'node:test';
import type {
  AuditOptions,
  ConvertOptions,
  CoverageDocument,
  convert,
  coverage,
  DatasetSymbol,
  DataType,
  DownloadOptions,
  download,
  Exchange,
  ExchangeRecord,
  ExportOptions,
  exchanges,
  FileEvent,
  Instrument,
  instruments,
  Message,
  plan,
  RawDisconnect,
  RawMessage,
  RawReplayOptions,
  ReplayOptions,
  ReplaySummary,
  Run,
  RunEvent,
  replay,
  StreamOptions,
  Summary,
  symbols,
  sync,
  TickhaulError,
  verify,
} from '../../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

test('results of the functions', () => {
  same<ReturnType<typeof download>, Run<RunEvent, Summary>>(true);
  same<ReturnType<typeof plan>, Run<RunEvent, Summary>>(true);
  same<ReturnType<typeof sync>, Run<RunEvent, Summary>>(true);
  same<ReturnType<typeof verify>, Run<RunEvent, Summary>>(true);
  same<ReturnType<typeof convert>, Run<RunEvent, Summary>>(true);
  same<Awaited<ReturnType<typeof coverage>>, CoverageDocument>(true);
  same<Awaited<ReturnType<typeof replay>>, ReplaySummary>(true);
  same<ReturnType<typeof replay> extends AsyncIterable<infer Reported> ? Reported : never, Message>(true);
});

test('a replay yields normalized messages, or with channels native ones', () => {
  const raw = (run: typeof replay, options: RawReplayOptions) => run(options);
  same<ReturnType<typeof raw>, Run<RawMessage | RawDisconnect, ReplaySummary>>(true);
  const read = (reported: RawMessage | RawDisconnect): void => {
    if ('message' in reported) same<typeof reported, RawMessage>(true);
    else same<typeof reported.type, 'disconnect'>(true);
  };
  same<ReturnType<typeof read>, void>(true);
  const period = { exchange: 'bitmex', date: '2024-03-01' };
  const right: readonly (ReplayOptions | RawReplayOptions)[] = [
    { ...period, types: 'trade', source: 'feeds', withDisconnects: true },
    { ...period, types: ['trades', 'liquidations', 'trade_bar_1m'] },
    { ...period, channels: ['trade'], symbols: 'XBTUSD', cacheDir: 'slices', cacheLimit: '20GB' },
    { ...period, channels: 'all', clearCache: true, cacheLimit: 20e9 },
  ];
  const wrong: readonly (ReplayOptions | RawReplayOptions)[] = [
    // @ts-expect-error: neither types nor channels
    period,
    // @ts-expect-error: both
    { ...period, types: 'trade', channels: 'trade' },
    // @ts-expect-error: day files have no channels
    { ...period, channels: 'trade', source: 'datasets' },
    // @ts-expect-error: raw data has no folder of day files
    { ...period, channels: 'trade', dir: 'datasets' },
    // @ts-expect-error: several exchanges have no common form
    { ...period, exchange: ['bitmex'], channels: 'trade' },
  ];
  same<(typeof right)[number], (typeof wrong)[number]>(true);
});

test('the name of an event narrows its type', () => {
  const read = (event: RunEvent): void => {
    if (event.event !== 'file') return;
    same<typeof event, FileEvent>(true);
    same<typeof event.date, string | undefined>(true);
    same<typeof event.path, string>(true);
  };
  same<Parameters<typeof read>, [RunEvent]>(true);
  same<TickhaulError['exitCode'], number>(true);
});

test('options: the required ones, a list instead of a selection, and rejected ones', () => {
  const selection = { exchange: 'deribit', types: 'trades', symbols: ['BTC-PERPETUAL'] } as const;
  const right: readonly DownloadOptions[] = [
    { ...selection, from: '2024-03-01', to: undefined },
    { ...selection, last: 7, layout: ({ symbol, date }) => `${symbol}/${date}` },
    { frozen: 'tickhaul.lock', signal: new AbortController().signal },
  ];
  const wrong: readonly DownloadOptions[] = [
    // @ts-expect-error: symbols are missing
    { exchange: 'deribit', types: 'trades', date: '2024-03-01' },
    // @ts-expect-error: unknown option
    { ...selection, symbol: 'BTC-PERPETUAL' },
    // @ts-expect-error: unknown choice
    { ...selection, existing: 'keep' },
    // @ts-expect-error: a layout returns a string
    { ...selection, layout: () => 1 },
    // @ts-expect-error: the library prints nothing
    { ...selection, json: true },
  ];
  same<(typeof right)[number], (typeof wrong)[number]>(true);
});

test('lists and records have types of their own', () => {
  same<Awaited<ReturnType<typeof symbols>>, readonly DatasetSymbol[]>(true);
  const read = async (list: typeof exchanges, find: typeof instruments) => {
    const options = { exchange: 'bitmex' };
    return [
      await list(),
      await list(options),
      await find(options),
      await find({ ...options, symbol: 'XBTUSD' }),
    ];
  };
  same<
    Awaited<ReturnType<typeof read>>[number],
    readonly Exchange[] | ExchangeRecord | readonly Instrument[] | Instrument
  >(true);
});

test('data types, formats and targets are checked by the compiler; exchanges and symbols are any text', () => {
  const selection = { exchange: 'any-exchange', symbols: 'ANY', date: '2024-03-01' };
  const listed = (symbol: DatasetSymbol): DownloadOptions => ({ ...selection, types: symbol.dataTypes });
  same<ReturnType<typeof listed>, DownloadOptions>(true);
  const rightDownloads: readonly DownloadOptions[] = [
    { ...selection, types: ['trades', 'book_snapshot_25'], convert: 'parquet', as: ['rows', 'trade_bar_1m'] },
    { ...selection, types: 'all', as: 'trade_bar_100ticks,quote_10s', export: 'freqtrade' },
    { ...selection, types: 'trades,quotes', as: ['book_snapshot_5_grouped0.5_100ms', 'quote'] },
    { ...selection, types: ['book_snapshot_50', 'added_later' as DataType] },
  ];
  const wrongDownloads: readonly DownloadOptions[] = [
    // @ts-expect-error: unknown data type
    { ...selection, types: ['tradez'] },
    // @ts-expect-error: unknown data type
    { ...selection, types: 'tradez' },
    // @ts-expect-error: a type of messages
    { ...selection, types: ['trade'] },
    // @ts-expect-error: unknown unit
    { ...selection, types: 'trades', as: ['trade_bar_1x'] },
    // @ts-expect-error: unknown format
    { ...selection, types: 'trades', convert: 'parket' },
    // @ts-expect-error: unknown target
    { ...selection, types: 'trades', export: 'natilus' },
  ];
  same<(typeof rightDownloads)[number], (typeof wrongDownloads)[number]>(true);
  const rightStreams: readonly StreamOptions[] = [
    { exchange: 'deribit', types: ['trade', 'book_change', 'trade_bar_1m', 'book_snapshot_10_1s'] },
    { exchange: 'deribit', types: 'trade,quote_1s' },
  ];
  const wrongStreams: readonly StreamOptions[] = [
    // @ts-expect-error: unknown type of messages
    { exchange: 'deribit', types: ['trad'] },
  ];
  same<(typeof rightStreams)[number], (typeof wrongStreams)[number]>(true);
  const wrongFormat: ConvertOptions = {
    paths: 'datasets',
    // @ts-expect-error: unknown format
    format: 'parket',
  };
  const wrongTarget: ExportOptions = {
    // @ts-expect-error: unknown target
    target: 'natilus',
    paths: 'datasets',
    out: 'out',
  };
  const wrongFilter: AuditOptions = {
    // @ts-expect-error: unknown data type
    types: ['tradez'],
  };
  same<
    typeof wrongFormat | typeof wrongTarget | typeof wrongFilter,
    ConvertOptions | ExportOptions | AuditOptions
  >(true);
});
