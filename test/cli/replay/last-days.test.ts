import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replay } from '../../../src/index.js';
import { envOf } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const NAMES = ['bitmex:XBTUSD', 'deribit:BTC-PERPETUAL'];
const TYPES = ['-t', 'trade,trade_bar_1m'];

test('--last selects exported days for day files and feeds, offline too', async (t) => {
  const service = await sandbox(t, { feeds: { suggestedMinutes: 10 } });
  const dir = await tempDir(t);
  const env = { ...envOf(service, dir), TM_CACHE_DIR: dir };
  const sources: readonly (readonly [readonly string[], string, number])[] = [
    [[...NAMES, ...TYPES], '2024-03-08', 2],
    [['bitmex:XBTUSD', ...TYPES, '--source', 'feeds'], '2024-03-09', 1],
    [['bitmex:XBTUSD', '--channel', 'trade'], '2024-03-09', 1],
  ];
  for (const [args, from, days] of sources) {
    const right = await runHere(['replay', ...args, '--from', from, '--to', '2024-03-10'], { env });
    assert.equal(right.exitCode, 0, right.stderr);
    assert.match(right.stdout, new RegExp(`^[^\n]*"localTimestamp":"${from}`));
    for (const last of [[`${days}d`], [`${days}`, '--offline']]) {
      const { exitCode, stdout, stderr } = await runHere(['replay', ...args, '--last', ...last], { env });
      assert.equal(exitCode, 0, stderr);
      assert.ok(stdout === right.stdout, `${args} ${last}`);
    }
  }
  const { apiUrl, datasetsUrl } = service;
  const options = { types: 'trade', source: 'feeds', cacheDir: dir, apiUrl, datasetsUrl } as const;
  const { messages } = await replay({ ...options, exchange: 'bitmex:XBTUSD', last: 1 });
  assert.ok(messages > 0);
});

test('--last is refused beside other days, and if it is not a number of days', async (t) => {
  const service = await sandbox(t);
  const env = envOf(service, await tempDir(t));
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
