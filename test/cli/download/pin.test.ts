import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import { jsonLines } from '../../helpers/cli.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { folderOf } from '../../verify/helpers.js';

const NAMED = ['binance-futures', '-t', 'trades,quotes', '-s', 'BTC*,ETHUSDT'];

test('a pinned plan stays the same when the record changes', async (t) => {
  const place = await tempDir(t);
  const pin = join(place, 'plan.json');
  const older = folderOf(await sandbox(t, { exportedUntil: parseDay('2024-03-05') }), join(place, 'a'));
  const planned = await older.run(
    'plan',
    ...NAMED,
    '--last',
    '2d',
    '--layout',
    'hive',
    '--json',
    '--pin',
    pin,
  );
  assert.equal(planned.exitCode, 0, planned.stderr);

  const newer = folderOf(await sandbox(t, { exportedUntil: parseDay('2024-03-09') }), join(place, 'b'));
  const asked = newer.service.requests.length;
  const again = await newer.run('plan', '--pinned', pin, '--json');
  const filesOf = (lines: typeof planned) => jsonLines(lines).filter(({ event }) => event === 'file');
  assert.deepEqual(filesOf(again), filesOf(planned));
  assert.ok(newer.service.requests.slice(asked).every(({ url }) => !url.startsWith('/v1/exchanges')));

  const paths = (lines: typeof planned): readonly string[] => filesOf(lines).map(({ path }) => String(path));
  const shards = ['0/2', '1/2'].map((shard) =>
    newer.run('download', '--pinned', pin, '--shard', shard, '--json'),
  );
  const downloaded = (await Promise.all(shards)).flatMap(paths);
  assert.ok(downloaded.length > 4 && downloaded.every((path) => path.startsWith('exchange=')));
  assert.deepEqual(downloaded.toSorted(), paths(planned).toSorted());
  assert.ok(!(await readFile(pin, 'utf8')).includes(older.service.apiKey));
});

test('a modified pinned plan, and flags that contradict it, are usage errors', async (t) => {
  const folder = folderOf(await sandbox(t), await tempDir(t));
  const pin = join(await tempDir(t), 'plan.json');
  assert.equal((await folder.run('plan', ...NAMED, '--date', '2024-03-01', '--pin', pin)).exitCode, 0);
  const text = await readFile(pin, 'utf8');
  const other = join(await tempDir(t), 'other.json');
  const errorOf = async (...flags: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await folder.run('plan', ...flags);
    assert.deepEqual([exitCode, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], stderr);
    return stderr;
  };
  for (const changed of [
    text.replace('BTC*', 'ETH*'),
    text.slice(0, -100),
    text.replace('}\n', '}'),
    `${text}x`,
  ]) {
    await writeFile(other, changed);
    assert.match(await errorOf('--pinned', other), /other\.json: was changed or truncated/);
  }
  for (const foreign of ['', '{}', '{"event":"plan"}\n'.repeat(20)]) {
    await writeFile(other, foreign);
    assert.match(await errorOf('--pinned', other), /other\.json: is not a pinned plan/);
  }
  assert.match(await errorOf('--pinned', join(folder.dir, 'none')), /--pinned: cannot read the file/);
  assert.match(await errorOf('--pinned', pin, '--layout', 'flat'), /leave --layout out/);
  assert.match(await errorOf('deribit', '--pinned', pin), /leave "deribit" out/);
  assert.match(await errorOf('--pinned', pin, '--from-file', pin), /use only one of them/);
  assert.match(await errorOf('--pinned', pin, '--pin', other), /leave --pin out/);
  assert.match(await errorOf('--from-file', pin, '--pin', other), /leave --pin out/);
});
