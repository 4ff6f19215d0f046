import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { replay } from '../../../src/index.js';
import { envOf, type Finished, failedWith, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { ask, serveHere, withOptions } from '../../server/serving.js';

const SYMBOL = 'BTC-PERPETUAL';
const START = Date.UTC(2024, 2, 1);
const SECOND = 1_000_000;

interface Place {
  readonly dir: string;
  readonly env: Record<string, string>;
  /** Writes a day file of 2024-03-01 with these rows. */
  write(dataType: string, rows: readonly string[], symbol?: string): string;
  replay(...args: readonly string[]): Promise<Finished>;
}

async function place(t: TestContext): Promise<Place> {
  const service = await sandbox(t);
  const dir = join(await tempDir(t), 'data');
  await mkdir(dir);
  const env = envOf(service, dir);
  return {
    dir,
    env,
    write(dataType, rows, symbol = SYMBOL) {
      // The file is not recorded.
      rmSync(join(dir, '.tickhaul'), { recursive: true, force: true });
      const path = join(dir, `deribit_${dataType}_2024-03-01_${symbol}.csv.gz`);
      const header = dataTypeColumns(dataType)?.map(({ name }) => name) ?? [];
      writeFileSync(path, gzipSync([header.join(), ...rows, ''].join('\n')));
      return path;
    },
    replay: (...args) => runHere(['replay', `deribit:${SYMBOL}`, '--date', '2024-03-01', ...args], { env }),
  };
}

/** Seconds of the day as microseconds since the epoch. */
const at = (seconds: number): number => START * 1000 + seconds * SECOND;
const trade = (time: number | string, symbol = SYMBOL): string =>
  `deribit,${symbol},${time},${time},,buy,100.5,1`;
const change = (time: number | string, side = 'bid', symbol = SYMBOL): string =>
  `deribit,${symbol},${time},${time},false,${side},100.5,1`;
/** Only messages are parsed by the kernel; other rows by columns. */
const WAYS = [
  ['trades', 'trade', trade],
  ['trades', 'trade,trade_bar_1m', trade],
  ['incremental_book_L2', 'book_change', change],
  ['incremental_book_L2', 'book_change,quote', change],
] as const;
const timesOf = ({ stdout }: Finished): string[] =>
  [...stdout.matchAll(/"type":"(?:trade|book_change)".*"localTimestamp":"2024-03-01T00:00:(\d\d)/g)].map(
    ([, seconds]) => seconds ?? '',
  );

test('replays rows of other days, other symbols and in wrong order sorted, with one warning', async (t) => {
  const { write, replay } = await place(t);
  for (const [dataType, types, row] of WAYS) {
    const rows = [at(-5), at(1), at(3), at(2), at(4)].map((time) => row(time));
    const path = write(dataType, [...rows, row(at(6)), foreign(row)]);
    const done = await succeeded(replay('-t', types));
    assert.deepEqual(timesOf(done), ['01', '03', '02', '04', '06', '07'], types);
    const warning = `warning ${path}: 1 row outside of 2024-03-01, 1 row of other symbols than ${SYMBOL} (the first is "ETH/USD"), 1 row earlier than the previous row, of 7 rows read; replaying them in the file's order\n`;
    assert.equal(done.stderr.split(warning).length, 2, done.stderr);
  }
});

/** A row of another symbol. */
function foreign(row: (typeof WAYS)[number][2]): string {
  return row === trade ? trade(at(7), 'ETH/USD') : change(at(7), 'ask', 'ETH/USD');
}

test('a file with only rows of another day, in milliseconds or of another symbol is code 6', async (t) => {
  const { write, replay, env } = await place(t);
  const cases: readonly (readonly [readonly (readonly [number | string, string])[], RegExp])[] = [
    [
      [
        [at(86_400), SYMBOL],
        [at(86_500), SYMBOL],
      ],
      /: all 2 rows read are outside of 2024-03-01: the last has/,
    ],
    [
      [
        [START, SYMBOL],
        [START + 5, SYMBOL],
      ],
      /: all 2 rows read are outside .* local_timestamp 1709251200005;/,
    ],
    [
      [[at(1), 'ETH-PERPETUAL']],
      /: the only row read is of other symbols than BTC-PERPETUAL \(the first is "ETH-PERPETUAL"\);/,
    ],
  ];
  for (const [dataType, types, row] of WAYS) {
    for (const [rows, message] of cases) {
      const path = write(
        dataType,
        rows.map(([time, symbol]) => (row === trade ? trade(time, symbol) : change(time, 'bid', symbol))),
      );
      // Otherwise the file is downloaded again.
      const { stderr } = await failedWith(replay('-t', types, '--offline'), 6, message);
      assert.ok(stderr.includes(path));
    }
  }
  const { exitCode } = await tickhaul(
    ['replay', `deribit:${SYMBOL}`, '-t', 'trade', '--date', '2024-03-01', '--offline'],
    { env },
  );
  assert.equal(exitCode, 6);
});

test('a part of a day, a symbol in the exchange’s spelling and a file without rows are valid', async (t) => {
  const { write, replay } = await place(t);
  for (const [dataType, types, row] of WAYS) {
    write(
      dataType,
      [0, 1, 2, 3].map((seconds) => row(at(seconds))),
    );
    const part = await replay(
      '-t',
      types,
      '--date=',
      '--from',
      '2024-03-01T00:00:01',
      '--to',
      '2024-03-01T00:00:03',
    );
    assert.doesNotMatch(part.stderr, /warning/);
    write(dataType, []);
    assert.deepEqual(
      [(await replay('-t', types)).stderr.includes('warning'), (await replay('-t', types)).exitCode],
      [false, 0],
    );
  }
  write('trades', [trade(at(1), 'btc:perpetual')]);
  const written = await replay('-t', 'trade');
  assert.doesNotMatch(written.stderr, /warning/);
  assert.equal(written.exitCode, 0);
});

test('a book side that is neither bid nor ask is code 6 in replays and computed types', async (t) => {
  const { write, replay, env } = await place(t);
  for (const side of ['buy', '', 'BID']) {
    const path = write('incremental_book_L2', [change(at(1)), change(at(2), side)]);
    const message = `${path}: line 3, column side: "${side}" is neither bid nor ask`;
    for (const types of ['book_change', 'book_change,quote', 'quote_1s']) {
      const { exitCode, stderr } = await replay('-t', types);
      assert.equal(exitCode, 6, stderr);
      assert.ok(stderr.includes(message), stderr);
    }
    const converted = await runHere(['convert', path, '--as', 'quote_1s', '--existing', 'overwrite'], {
      env,
    });
    assert.equal(converted.exitCode, 6, converted.stderr);
    assert.ok(converted.stderr.includes(message), converted.stderr);
  }
});

test('the server warns once per file and aborts the response; the library has warnings', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const data = join(dir, 'datasets');
  await mkdir(data);
  const path = join(data, `deribit_trades_2024-03-01_${SYMBOL}.csv.gz`);
  const write = (...times: readonly number[]): void => {
    rmSync(join(data, '.tickhaul'), { recursive: true, force: true });
    const header = dataTypeColumns('trades')?.map(({ name }) => name) ?? [];
    writeFileSync(path, gzipSync([header.join(), ...times.map((time) => trade(time)), ''].join('\n')));
  };
  write(at(2), at(1));
  const server = await serveHere(t, service, dir, { source: 'datasets' });
  const options = {
    exchange: 'deribit',
    symbols: [SYMBOL],
    dataTypes: ['trade'],
    from: '2024-03-01',
    to: '2024-03-02',
  };
  const address = withOptions('/replay-normalized', options);
  for (const _ of [1, 2]) assert.equal((await ask(server.httpPort, address)).text.split('\n').length, 3);
  assert.deepEqual(server.warnings.filter((line) => line.includes('1 row earlier')).length, 1);
  const { warnings } = await replay({
    exchange: `deribit:${SYMBOL}`,
    ...{ types: 'trade', date: '2024-03-01', dir: data, offline: true },
    ...{ apiUrl: service.apiUrl, datasetsUrl: service.datasetsUrl },
  });
  assert.match(warnings?.join() ?? '', /1 row earlier than the previous row/);
  write(at(-2), at(-1));
  const wrong = await ask(server.httpPort, address);
  assert.ok(wrong.status !== 200 || !wrong.isWhole);
});
