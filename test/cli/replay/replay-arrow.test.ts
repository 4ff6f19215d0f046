import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { readTable, readWithFlechette } from '../../format/arrow/read-arrow.js';
import { envOf, failedWith, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const DAY = ['--date', '2024-03-01'];
const MINUTES = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:30'];

type Env = Readonly<Record<string, string>>;

/** Runs a replay whose stdout, which is not text, goes to a file. */
async function replayTo(path: string, args: readonly string[], env: Env) {
  const dataOut = createWriteStream(path);
  const finished = await runHere(['replay', ...args, '--format', 'arrow'], { env, dataOut });
  dataOut.end();
  await once(dataOut, 'close');
  return finished;
}

const isTime = (key: string): boolean => /timestamp$|Timestamp$|Date$/.test(key);

/** Microseconds of a time with three or six decimals. */
function toMicroseconds(text: string): number {
  const [, seconds = '', decimals = ''] = /^(.*)\.(\d+)Z$/.exec(text) ?? [];
  return Date.parse(`${seconds}Z`) * 1000 + Number(decimals.padEnd(6, '0'));
}

/** The cells of lines by column, as they are expected in Arrow. */
function columnsOf(lines: string, keys: readonly string[]): unknown[][] {
  const messages = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return keys.map((key) =>
    messages.map((message) => {
      const value = message[key] ?? null;
      if (isTime(key)) return value === null ? null : toMicroseconds(String(value));
      if (key !== 'bids' && key !== 'asks') return value;
      return (value as object[]).map((level) => ({ price: null, amount: null, ...level }));
    }),
  );
}

/** Types with an exchange that has them, and all their keys. */
const TYPES: Readonly<Record<string, readonly [exchange: string, keys: string]>> = {
  trade: ['deribit:BTC-PERPETUAL', 'type symbol exchange id price amount side timestamp localTimestamp'],
  liquidation: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange id price amount side timestamp localTimestamp',
  ],
  book_change: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange isSnapshot bids asks timestamp localTimestamp',
  ],
  derivative_ticker: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange lastPrice openInterest fundingRate fundingTimestamp predictedFundingRate indexPrice markPrice timestamp localTimestamp',
  ],
  book_ticker: [
    'binance-futures:BTCUSDT',
    'type symbol exchange askAmount askPrice bidPrice bidAmount timestamp localTimestamp',
  ],
  option_summary: [
    'deribit',
    'type symbol exchange optionType strikePrice expirationDate bestBidPrice bestBidAmount bestBidIV bestAskPrice bestAskAmount bestAskIV lastPrice openInterest markPrice markIV delta gamma vega theta rho underlyingPrice underlyingIndex timestamp localTimestamp',
  ],
  book_snapshot_40_grouped10_1s: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange name depth interval grouping bids asks timestamp localTimestamp',
  ],
  quote_10s: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange name depth interval grouping bids asks timestamp localTimestamp',
  ],
  trade_bar_5m: [
    'deribit:BTC-PERPETUAL',
    'type symbol exchange name interval kind open high low close volume buyVolume sellVolume trades vwap openTimestamp closeTimestamp localTimestamp timestamp',
  ],
};

test('streams and files have the messages of the lines, of every type', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 500 });
  for (const [type, [exchange, keys]] of Object.entries(TYPES)) {
    const args = [exchange, '-t', type, ...DAY];
    const lines = await succeeded(runHere(['replay', ...args], { env }));
    const expected = columnsOf(lines.stdout, keys.split(' '));
    assert.ok((expected[0]?.length ?? 0) > 3, type);

    const stream = join(dir, 'messages.stream');
    await succeeded(replayTo(stream, args, env));
    const file = join(dir, 'messages.arrow');
    await succeeded(runHere(['replay', ...args, '--format', 'arrow', '-o', file], { env }));
    for (const path of [stream, file]) {
      const bytes = await readFile(path);
      assert.equal(bytes.toString('latin1', 0, 6) === 'ARROW1', path === file);
      const names = keys.split(' ').map((key) => key.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase());
      assert.deepEqual(readTable(bytes).names, names, type);
      const found = readWithFlechette(bytes).map((cells) =>
        cells.map((cell) => (Array.isArray(cell) ? cell.map((level) => ({ ...level })) : cell)),
      );
      assert.deepEqual(found, expected, type);
    }
    const inspected = JSON.parse((await runHere(['inspect', file, '--json'])).stdout);
    assert.equal(inspected.rows, expected[0]?.length);
  }
});

test('messages from feeds, of several exchanges, are the same as lines', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { feeds: {} });
  const env = { ...envOf(service, dir), TM_CACHE_DIR: join(dir, 'slices') };
  const args = [
    'bitmex:XBTUSD',
    'deribit:BTC-PERPETUAL',
    '-t',
    'book_change',
    '--source',
    'feeds',
    ...MINUTES,
  ];
  const lines = await succeeded(runHere(['replay', ...args], { env }));
  const [, keys] = TYPES['book_change'] ?? [];
  const stream = join(dir, 'messages.stream');
  const command = ['bash', '-c', `"$0" "$@" > '${stream}'`, process.execPath];
  const built = ['replay', ...args, '--json', '--format', 'arrow'];
  const streamed = await succeeded(tickhaul(built, { command, env }));
  const found = readWithFlechette(await readFile(stream)).map((cells) =>
    cells.map((cell) => (Array.isArray(cell) ? cell.map((level) => ({ ...level })) : cell)),
  );
  assert.deepEqual(found, columnsOf(lines.stdout, (keys ?? '').split(' ')));
  const { messages } = JSON.parse(streamed.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(messages, found[0]?.length);
});

test('without a message, the output has the columns and no rows', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const empty = ['--from', '2024-03-01T00:00:00.000001', '--to', '2024-03-01T00:00:00.000002'];
  const stream = join(dir, 'empty.stream');
  await succeeded(replayTo(stream, ['deribit:BTC-PERPETUAL', '-t', 'trade', ...empty], env));
  const table = readTable(await readFile(stream));
  assert.deepEqual([table.numRows, table.numCols], [0, 9]);
});

test('refuses what has no columns in common, and leaves no file behind if a day is corrupt', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const out = join(dir, 'out.arrow');
  const arrow = ['--format', 'arrow', '-o', out, ...DAY];
  const cases: readonly (readonly [RegExp, readonly string[]])[] = [
    [/--format arrow: takes one type/, ['bitmex:XBTUSD', '-t', 'trade,book_change']],
    [/--format arrow: requires --type/, ['bitmex:XBTUSD', '--channel', 'trade']],
    [
      /--format arrow and --with-disconnects cannot be combined/,
      ['bitmex:XBTUSD', '-t', 'trade', '--source', 'feeds', '--with-disconnects'],
    ],
  ];
  for (const [message, args] of cases) {
    await failedWith(runHere(['replay', ...args, ...arrow], { env }), 2, message);
  }
  const json = await runHere(['replay', 'bitmex:XBTUSD', '-t', 'trade', '-o', out, ...DAY], { env });
  assert.match(json.stderr, /^tickhaul: --out .*out\.arrow: .*JSON lines; add --format arrow/);
  assert.equal(json.exitCode, 2);
  const missing = await runHere(['replay', 'bitmex:XBTUSD', '-t', 'trade', ...arrow, '--offline'], { env });
  assert.equal(missing.exitCode, 7, missing.stderr);
  assert.ok(!existsSync(out));
});

test('a reader that leaves is a normal end', async (t) => {
  const { env } = await sandboxAndFolder(t, { rows: 200_000 });
  const command = [
    'bash',
    '-c',
    `"$0" "$@" | head -c 1000 | wc -c; echo "\${PIPESTATUS[0]}"`,
    process.execPath,
  ];
  const args = ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', ...DAY, '--format', 'arrow'];
  const { stdout, stderr } = await tickhaul(args, { command, env });
  assert.equal(stdout, '1000\n0\n', stderr);
});

test('readers of a stream fail if the replay failed after some messages', async (t) => {
  const dir = await tempDir(t);
  // More than a record batch.
  await writeDayFile(dir, 'trades', `${csvOf('trades', 70_000)}not,a,row\n`);
  const args = ['deribit:BTC-PERPETUAL', '-t', 'trade', ...DAY, '--dir', dir, '--offline'];
  const out = join(dir, 'out.stream');
  const { exitCode, stderr } = await replayTo(out, args, {});
  assert.equal(exitCode, 6, stderr);
  const broken = await readFile(out);
  assert.ok(broken.length > 1_000_000, 'some messages were written');
  assert.throws(() => readTable(broken));
});
