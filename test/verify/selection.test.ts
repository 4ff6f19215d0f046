import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { jsonLines, succeeded } from '../helpers/cli.js';
import { dayFileName, downloadFolder, FIRST, SECOND, SELECTION } from './helpers.js';

test('-t and -s restrict a check and its changes to some series', async (t) => {
  const { dir, run } = await downloadFolder(t, {}, ['-s', 'ETHUSDT', '-t', 'quotes']);
  const statuses = async (...flags: string[]): Promise<readonly string[]> => {
    const lines = jsonLines(await run('verify', '--json', '--quick', ...flags));
    return lines
      .slice(1, -1)
      .map(({ event, status, kind, path }) => `${status ?? kind ?? event} ${path ?? ''}`)
      .sort();
  };
  assert.equal((await statuses()).length, 16);
  assert.equal((await statuses('-s', 'eth*')).length, 8);
  await rm(join(dir, SECOND));
  await writeFile(join(dir, `${dayFileName('05')}.part`), '');
  await writeFile(join(dir, 'nobody-knows.csv.gz'), '');
  const ethereum = ['01', '02', '03', '04'].map((day) => `verified ${dayFileName(day, 'ETHUSDT')}`);
  assert.deepEqual(await statuses('-t', 'trades', '-s', 'ETHUSDT'), ethereum);
  assert.deepEqual(await statuses('-t', 'trades', '-s', 'ETHUSDT', '--forget', '--clean'), ethereum);
  const bitcoin = await statuses('-t', 'TRADES', '-s', 'btcusdt');
  assert.deepEqual(
    bitcoin.filter((line) => !line.startsWith('verified')),
    [`missing ${SECOND}`, `stale ${dayFileName('05')}.part`],
  );
  assert.ok(bitcoin.includes(`verified ${FIRST}`));
});

test('a selection that has no file below the given paths is an error, although the folder has some', async (t) => {
  const { dir, run } = await downloadFolder(t);
  const path = join(dir, FIRST);
  const cases: readonly (readonly [words: readonly string[], exitCode: number, message: RegExp])[] = [
    [['-t', 'trades', '--date', '2024-03-01'], 0, /1 verified/],
    [['--date', '2024-03-02'], 7, /--date: no day file .* there are 2024-03-01\n/],
    [['-s', 'ETHUSDT'], 2, /--symbol: .* "ETHUSDT"/],
  ];
  await succeeded(run('download', ...SELECTION, '-s', 'ETHUSDT'));
  for (const [words, exitCode, message] of cases) {
    const ended = await run('verify', path, ...words);
    assert.match(ended.stderr, message);
    assert.equal(ended.exitCode, exitCode, words.join(' '));
  }
});
