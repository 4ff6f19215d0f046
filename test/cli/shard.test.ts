import assert from 'node:assert/strict';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDayFileName } from '../../src/day-files/day-file.js';
import { shardIndex } from '../../src/day-files/shard.js';
import { envOf, type Finished, type JsonLine, jsonLines, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const COUNT = 3;
const SHARDS = Array.from({ length: COUNT }, (_, index) => `${index}/${COUNT}`);
const DOWNLOAD = [
  ...['download', 'binance-futures', '-t', 'trades,quotes', '-s', 'BTCUSDT,ETHUSDT'],
  ...['--from', '2024-03-01', '--to', '2024-03-05', '--convert', 'ndjson', '--json'],
];

const filesOf = (lines: readonly JsonLine[]): string[] =>
  lines.filter(({ event }) => event === 'file').map(({ path }) => String(path));
const ofShard = (index: number) => (name: string) => shardIndex(parseDayFileName(name), COUNT) === index;

test('shards of plan, download, verify and convert process each file once', async (t) => {
  const service = await sandbox(t, { rows: 50 });
  const dir = join(await tempDir(t), 'data');
  const env = envOf(service, dir);
  const linesOf = (ended: Finished): readonly JsonLine[] => {
    assert.equal(ended.exitCode, 0, ended.stderr);
    return jsonLines(ended);
  };
  const plan = linesOf(await runHere(['plan', ...DOWNLOAD.slice(1), '--shard', '1/3'], { env }));
  const downloads = await Promise.all(
    SHARDS.map(async (shard) => linesOf(await runHere([...DOWNLOAD, '--shard', shard], { env }))),
  );
  const names = (await readdir(dir)).filter((name) => name.endsWith('.csv.gz'));
  assert.equal(names.length, 16);
  for (const [index, lines] of downloads.entries()) {
    const own = names.filter(ofShard(index)).sort();
    const paths = filesOf(lines).filter((path) => path.endsWith('.csv.gz'));
    assert.deepEqual(paths.sort(), own);
    assert.equal(lines[0]?.['files'], own.length);
  }
  assert.deepEqual(filesOf(plan).sort(), names.filter(ofShard(1)).sort());

  // The name of this file identifies no day file: it belongs to the first shard.
  await rename(join(dir, names[0] ?? ''), join(dir, 'odd.csv.gz'));
  await writeFile(join(dir, names[0] ?? ''), '');
  const verified = await Promise.all(
    SHARDS.map((shard) => runHere(['verify', '--json', '--quick', '--shard', shard], { env })),
  );
  const own = shardIndex(parseDayFileName(names[0] ?? ''), COUNT);
  for (const [index, ended] of verified.entries()) {
    assert.equal(ended.exitCode, index === own ? 6 : 0, ended.stderr);
    const paths = filesOf(jsonLines(ended)).filter((path) => path.endsWith('.csv.gz'));
    assert.deepEqual(paths.sort(), names.filter(ofShard(index)).sort());
    assert.equal(JSON.stringify(jsonLines(ended)).includes('odd.csv.gz'), index === 0);
  }
  await rename(join(dir, 'odd.csv.gz'), join(dir, names[0] ?? ''));
  const converted = await Promise.all(
    SHARDS.map(async (shard) =>
      linesOf(await runHere(['convert', dir, '--json', '-o', join(dir, 'out'), '--shard', shard], { env })),
    ),
  );
  assert.deepEqual(
    converted.map((lines) => filesOf(lines).length),
    SHARDS.map((_, index) => names.filter(ofShard(index)).length),
  );
});

test('concurrent sync runs of shards do nothing twice, leave nothing out, and do not wait for each other', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { rows: 50, latencyMs: 20 });
  const config = join(dir, 'tickhaul.yaml');
  await writeFile(config, 'jobs: [{name: a, exchange: kraken, types: trades, symbols: XBT-USD, last: 8d}]\n');
  const env = envOf(service, join(dir, 'data'));
  const ended = await Promise.all(
    ['0/2', '1/2'].map((shard) =>
      tickhaul(['sync', '--json', '--config', config, '--shard', shard], { env }),
    ),
  );
  for (const { exitCode, stderr } of ended) assert.equal(exitCode, 0, stderr);
  const downloaded = ended.map((one) => Number(jsonLines(one).at(-1)?.['downloaded'] ?? 0));
  assert.equal((downloaded[0] ?? 0) + (downloaded[1] ?? 0), 8);
  const whole = jsonLines(await runHere(['sync', '--json', '--config', config], { env }));
  assert.equal(whole.at(-1)?.['skipped'], 8);
});

test('refuses an invalid shard, and a shard of slices', async () => {
  const refused = await runHere(['verify', '--cache', '--shard', '0/2']);
  assert.equal(refused.exitCode, 2, refused.stderr);
  assert.match(refused.stderr, /--shard applies to day files only; omit it with --cache/);
  const { exitCode, stderr } = await runHere(['verify', '--shard', '5/5']);
  assert.equal(exitCode, 2);
  assert.equal(stderr, 'tickhaul: --shard: "5/5" is not a shard; the first is 0, so the last of 5 is 4/5\n');
});
