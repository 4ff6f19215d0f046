import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replay } from '../../../src/index.js';
import { envOf, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { BUSY, sandboxAndFolder } from '../../helpers/sandbox.js';

const NAMES = ['bitmex:XBTUSD', 'deribit:BTC-PERPETUAL'];
const TYPES = ['-t', 'trade,trade_bar_1m'];

test('--last selects exported days for day files and feeds, offline too', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { feeds: { suggestedMinutes: 10 } });
  const env = { ...envOf(service, dir), TM_CACHE_DIR: dir };
  const sources: readonly (readonly [readonly string[], string, number])[] = [
    [[...NAMES, ...TYPES], '2024-03-08', 2],
    [['bitmex:XBTUSD', ...TYPES, '--source', 'feeds'], '2024-03-09', 1],
    [['bitmex:XBTUSD', '--channel', 'trade'], '2024-03-09', 1],
  ];
  for (const [args, from, days] of sources) {
    const right = await succeeded(
      runHere(['replay', ...args, '--from', from, '--to', '2024-03-10'], { env }),
    );
    assert.match(right.stdout, new RegExp(`^[^\n]*"localTimestamp":"${from}`));
    for (const last of [[`${days}d`], [`${days}`, '--offline']]) {
      const { stdout } = await succeeded(runHere(['replay', ...args, '--last', ...last], { env }));
      assert.ok(stdout === right.stdout, `${args} ${last}`);
    }
  }
  const { apiUrl, datasetsUrl } = service;
  const options = { types: 'trade', source: 'feeds', cacheDir: dir, apiUrl, datasetsUrl } as const;
  const { messages } = await replay({ ...options, exchange: 'bitmex:XBTUSD', last: 1 });
  assert.ok(messages > 0);
});

test('--last is refused beside other days, and if it is not a number of days', async (t) => {
  const { service, env } = await sandboxAndFolder(t);
  for (const days of [
    ['--last', '0d'],
    ['--last', '1w'],
    ['--last', '1d', '--date', '2024-03-01'],
    ['--last', '1d', '--from', '2024-03-01'],
    ['--last', '1d', '--to', '2024-03-01'],
  ]) {
    const { exitCode, stderr } = await runHere(['replay', ...NAMES, ...TYPES, ...days], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /^tickhaul: .*--last.*\n$/);
  }
  assert.equal(service.requests.length, 0);
});

test('days that do not follow each other are replayed one after the other', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { ...BUSY, feeds: { suggestedMinutes: 10 } });
  const env = { ...envOf(service, dir), TM_CACHE_DIR: dir };
  const print = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await succeeded(runHere(['replay', ...words], { env }));
    return stdout;
  };
  const [friday, saturday] = ['2024-03-01', '2024-03-02'];
  const days = [...NAMES, ...TYPES];
  const first = await print(...days, '--date', friday);
  const third = await print(...days, '--date', '2024-03-03');
  assert.ok(first !== '' && third !== '');
  const both = first + third;
  assert.ok((await print(...days, '--date', `2024-03-03,${friday}`)) === both, '--date');
  const range = ['--from', friday, '--to', '2024-03-04'];
  assert.ok((await print(...days, ...range, '--weekdays', 'fri,sun')) === both, '--weekdays');
  assert.ok((await print(...days, '--days', '2024-03', '--free')) === first, '--free');
  assert.ok((await print(...days, '--date', `2015-01-01,${friday}`)) === first, 'a day before the first');

  // A part of the first and of the last day, without the one between.
  const part = ['--from', '2024-03-01T23:55', '--to', '2024-03-03T00:05', '--weekdays', 'fri,sun'];
  const ends = [
    ['--from', '2024-03-01T23:55', '--to', saturday],
    ['--from', '2024-03-03', '--to', '2024-03-03T00:05'],
  ];
  for (const source of [
    ['bitmex:XBTUSD', ...TYPES, '--source', 'feeds'],
    ['bitmex:XBTUSD', '--channel', 'trade'],
  ]) {
    const [start = '', end = ''] = [
      await print(...source, ...(ends[0] ?? [])),
      await print(...source, ...(ends[1] ?? [])),
    ];
    assert.ok(start !== '' && end !== '');
    assert.ok((await print(...source, ...part)) === start + end, source.join(' '));
  }
});

test('names of day files are those of their messages', async (t) => {
  const { env } = await sandboxAndFolder(t, { rows: 50 });
  for (const [dayFile, message, exchange] of [
    ['trades,TRADES', 'trade', 'deribit:BTC-PERPETUAL'],
    ['incremental_book_L2', 'book_change', 'deribit:BTC-PERPETUAL'],
    ['quotes', 'quote', 'deribit:BTC-PERPETUAL'],
    ['liquidations', 'liquidation', 'deribit:BTC-PERPETUAL'],
    ['options_chain', 'option_summary', 'deribit'],
    ['book_snapshot_5', 'book_snapshot_5_0ms', 'deribit:BTC-PERPETUAL'],
    ['book_snapshot_25', 'book_snapshot_25_0ms', 'deribit:BTC-PERPETUAL'],
  ] as const) {
    const [named, usual] = await Promise.all(
      [dayFile, message].map((type) =>
        runHere(['replay', exchange, '-t', type, '--date', '2024-03-01'], { env }),
      ),
    );
    assert.equal(named?.exitCode, 0, named?.stderr);
    assert.ok(named.stdout !== '', dayFile);
    assert.ok(named.stdout === usual?.stdout, dayFile);
  }
});
