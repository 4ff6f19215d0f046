/** Compiled but not run: types that the library accepts and rejects. */
import { test } from 'node:test';
import type {
  CoverageDocument,
  convert,
  coverage,
  DownloadOptions,
  download,
  FileEvent,
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
  Summary,
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
  const selection = { exchange: 'deribit', types: 'trades', symbols: ['BTC-PERPETUAL'] };
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
