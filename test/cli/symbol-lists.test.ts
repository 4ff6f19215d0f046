import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { download, replay } from '../../src/index.js';
import { csvOf } from '../convert/day-files.js';
import { envOf, type Finished, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir, workingDir } from '../helpers/temp.js';

const DAY = ['--date', '2024-03-01'];
const nameOf = (symbol: string): string => `deribit_trades_2024-03-01_${symbol}.csv.gz`;

interface Place {
  readonly dir: string;
  readonly service: Awaited<ReturnType<typeof sandbox>>;
  run(...words: readonly string[]): Promise<Finished>;
  /** Symbols of the day files that a command reports. */
  symbolsOf(...words: readonly string[]): Promise<readonly unknown[]>;
}

/** A service with the symbols `@107` and `OTHER`, and a file named `107` that lists `OTHER` in the working folder. */
async function place(t: TestContext): Promise<Place> {
  const archive = await tempDir(t);
  const csv = csvOf('trades', 20);
  for (const symbol of ['@107', 'OTHER'])
    await writeFile(join(archive, nameOf(symbol)), gzipSync(csv.replaceAll('BTC-PERPETUAL', symbol)));
  const service = await sandbox(t, { replayDir: archive });
  const dir = await workingDir(t);
  await writeFile('107', 'OTHER\n');
  const env = envOf(service, join(dir, 'data'));
  const run = (...words: readonly string[]): Promise<Finished> => runHere(words, { env });
  return {
    dir,
    service,
    run,
    async symbolsOf(...words) {
      const finished = await succeeded(run(...words, '--json'));
      const files = jsonLines(finished).filter(({ event }) => event === 'file' || event === 'day');
      return [...new Set(files.map(({ symbol }) => symbol))];
    },
  };
}

test('an exact symbol wins over a list file in every command, and @./ is the file', async (t) => {
  const { dir, run, symbolsOf } = await place(t);
  const forms: readonly (readonly [text: string, symbols: readonly string[]])[] = [
    ['@107', ['@107']],
    ['@./107', ['OTHER']],
    [`@${dir}/107`, ['OTHER']],
    ['OTHER,@107', ['OTHER', '@107']],
  ];
  await writeFile('list', '@107\n');
  const select = ['deribit', '-t', 'trades', ...DAY];
  for (const [text, symbols] of [...forms, ['@list', ['@107']] as const]) {
    assert.deepEqual(await symbolsOf('plan', ...select, '-s', text, '--files'), symbols, text);
    const job = {
      name: 'a',
      exchange: 'deribit',
      types: ['trades'],
      symbols: text.split(','),
      date: '2024-03-01',
    };
    await writeFile('tickhaul.json', JSON.stringify({ jobs: [job] }));
    assert.deepEqual(await symbolsOf('sync', '--dry-run'), symbols, text);
  }
  await rm('tickhaul.json');
  await run('download', ...select, '-s', 'all');
  for (const [text, symbols] of forms) {
    for (const words of [
      ['verify'],
      ['convert', 'data', '-o', 'out', '--existing', 'overwrite'],
      ['audit', '--offline'],
    ]) {
      const found = await symbolsOf(...words, '-s', text);
      assert.deepEqual([...found].sort(), [...symbols].sort(), `${words[0]} ${text}`);
    }
    const coverage = JSON.parse((await run('coverage', '-s', text, '--json')).stdout);
    assert.deepEqual(
      coverage.series.map(({ symbol }: { symbol: string }) => symbol),
      [...symbols].sort(),
    );
    for (const source of [[], ['--offline']]) {
      const { stdout } = await run('replay', 'deribit', '-t', 'trade', ...DAY, '-s', text, ...source);
      assert.deepEqual([...new Set(stdout.match(/(?<="symbol":")[^"]*/g))].sort(), [...symbols].sort());
    }
  }
  await run('plan', ...select, '-s', '@107,@list', '--pin', 'pin.json');
  assert.deepEqual(JSON.parse(await readFile('pin.json', 'utf8')).pinned.selection.symbols, ['@107', '@107']);
  assert.deepEqual(await symbolsOf('plan', '--pinned', 'pin.json', '--files'), ['@107']);
});

test('the library takes a symbol that begins with @', async (t) => {
  const { dir, service } = await place(t);
  const { apiUrl, datasetsUrl } = service;
  const hosts = { apiUrl, datasetsUrl, dir: join(dir, 'data') };
  const select = { exchange: 'deribit', types: ['trades' as const], date: '2024-03-01', ...hosts };
  for (const [symbol, path] of [
    ['@107', '@107'],
    ['@./107', 'OTHER'],
  ] as const) {
    const paths: unknown[] = [];
    for await (const event of download({ ...select, symbols: [symbol] }))
      if (event.event === 'file') paths.push(event.path);
    assert.deepEqual(paths, [nameOf(path)]);
  }
  const symbols = new Set<unknown>();
  const messages = replay({
    exchange: 'deribit',
    symbols: ['@107'],
    types: ['trade'],
    date: '2024-03-01',
    ...hosts,
  });
  for await (const message of messages) symbols.add((message as { symbol?: string }).symbol);
  assert.deepEqual([...symbols], ['@107']);
});

test('a name that is neither a symbol nor a file is a usage error that names both', async (t) => {
  const { run } = await place(t);
  const select = ['deribit', '-t', 'trades', ...DAY];
  const both = /deribit has no symbol "@none", and cannot read the file "none" \(ENOENT\)$/m;
  for (const words of [
    ['plan', ...select],
    ['download', ...select],
    ['replay', 'deribit', '-t', 'trade', ...DAY],
  ]) {
    const { exitCode, stderr } = await run(...words, '-s', '@none');
    assert.deepEqual([exitCode, both.test(stderr)], [2, true], stderr);
  }
  await run('download', ...select, '-s', 'OTHER');
  for (const words of [['verify'], ['coverage'], ['convert', 'data'], ['audit', '--offline']]) {
    const { exitCode, stderr } = await run(...words, '-s', '@none');
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /no day file of symbol "@none", and no readable file "none" with a list/);
  }
  // A path cannot be a symbol, so nothing is requested.
  const { exitCode, stderr } = await run('plan', ...select, '-s', '@./none');
  assert.deepEqual([exitCode, stderr], [2, 'tickhaul: --symbol: cannot read the file "none" (ENOENT)\n']);
});
