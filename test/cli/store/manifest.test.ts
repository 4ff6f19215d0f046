import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonLines, succeeded } from '../../helpers/cli.js';
import { storeTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { DOWNLOAD, NAMES, storeRig } from './rig.js';

const OTHERS = '.tickhaul/manifest/deribit/trades/2020-01/20200102T000000000Z-other-1.jsonl';

storeTest('a list, a lock file and a sync read only the records that they need', async (t) => {
  const rig = await storeRig(t);
  const [at, dir] = [['--dir', rig.at('data')], await tempDir(t)];
  const [list, lock, config] = [join(dir, 'list'), join(dir, 'lock'), join(dir, 'tickhaul.yaml')];
  const first = await succeeded(rig.run(...DOWNLOAD, ...at, '--json'));
  await writeFile(list, first.stdout);
  assert.equal((await rig.run('lock', '--out', lock, ...at)).exitCode, 0);
  const job = 'name: one, exchange: binance-futures, types: [trades, quotes], symbols: [BTCUSDT]';
  await writeFile(config, `jobs:\n  - { ${job}, from: 2024-03-01, to: 2024-03-02 }\n`);
  await rig.bucket.write(`data/${OTHERS}`, 'of somebody else');

  for (const [words, count] of [
    [['download', '--from-file', list], NAMES.length],
    [['download', '--frozen', lock, '--existing', 'skip'], NAMES.length],
    [['sync', '--config', config], 2],
  ] as const) {
    const calls = rig.shim.calls.length;
    const again = await rig.run(...words, ...at, '--json');
    assert.deepEqual([again.exitCode, again.stderr], [0, ''], words[0]);
    assert.equal(jsonLines(again).at(-1)?.['skipped'], count);
    const read = rig.shim.calls.slice(calls).filter(({ operation }) => operation === 'GetObject');
    const records = read.filter(({ key }) => key.includes('/manifest/'));
    assert.equal(records.length, count, 'a segment of each data type');
    assert.ok(!records.some(({ key }) => key.endsWith(OTHERS)));
  }
});

storeTest('the manifest of a prefix covers all objects below it', async (t) => {
  const rig = await storeRig(t);
  const layout = ['--layout', '{exchange}/{type}/{symbol}/{date}'];
  const { exitCode, stderr } = await rig.run(...DOWNLOAD, ...layout, '--dir', rig.at('data'));
  assert.equal(exitCode, 0, stderr);
  const below = `${rig.at('data')}/binance-futures`;

  const out = await tempDir(t);
  const calls = rig.shim.calls.length;
  await succeeded(rig.run('convert', below, '-o', out));
  const parquet = NAMES.map((name) => name.replace('csv.gz', 'parquet'));
  assert.deepEqual((await readdir(out)).sort(), parquet);
  const listed = rig.shim.calls.slice(calls).filter(({ operation }) => operation === 'ListObjectsV2');
  // The source, then manifests from the folder of the first file up to the prefix, and the one that exists.
  assert.equal(listed.length, 2 + 4 + 2, 'and none for the other files');

  const verified = await succeeded(rig.run('verify', `${below}/trades/`, '--listed', '--json'));
  assert.equal(jsonLines(verified).at(-1)?.['verified'], 1);
  const covered = await rig.run('coverage', `${below}/trades`, '--json');
  assert.equal(JSON.parse(covered.stdout).totals.series, 1, covered.stderr);
  for (const command of ['verify', 'coverage']) {
    const { exitCode, stderr } = await rig.run(command, rig.at('elsewhere'));
    assert.deepEqual([exitCode, stderr.includes(rig.at('elsewhere'))], [2, true], stderr);
  }
});
