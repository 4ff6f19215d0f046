import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { envOf, failedWith, jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tradesOf } from '../../helpers/selection.js';
import { tempDir } from '../../helpers/temp.js';

const SELECTION = tradesOf('2024-03-01', '2024-03-03');
const WARNING = /^warning the API key …-key has expired; renew it or set another$/m;

test('reports an expired key in a warning and in the summary', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t, { keyAccess: [] });
  const reported = async (...args: string[]) => {
    const before = service.requests.length;
    const done = await runHere(args, { env });
    const asked = service.requests.slice(before).filter(({ url }) => url === '/v1/api-key-info');
    assert.equal(asked.length, 1, args.join(' '));
    assert.match(done.stderr, WARNING);
    assert.ok(!(done.stdout + done.stderr).includes(service.apiKey));
    assert.doesNotMatch(done.stderr, /set TICKHAUL_API_KEY/);
    return done;
  };

  const plan = await reported('plan', ...SELECTION);
  assert.match(
    plan.stderr,
    /^2 files: 1 download, 1 unauthorized\n1 day needs an API key, and yours has expired/m,
  );
  assert.equal(jsonLines(await reported('plan', ...SELECTION, '--json')).at(-1)?.['keyExpired'], true);

  await failedWith(
    reported('download', ...SELECTION),
    4,
    /^tickhaul: 1 day needs an API key, and yours has expired: renew it, or set another; the first day/m,
  );
  const json = await reported('download', ...SELECTION, '--json');
  const { exitCode, unauthorized, keyExpired } = jsonLines(json).at(-1) ?? assert.fail();
  assert.deepEqual([exitCode, unauthorized, keyExpired], [4, 1, true]);

  const list = join(dir, 'list.jsonl');
  await writeFile(list, (await reported('plan', ...SELECTION, '--json')).stdout);
  const listed = await reported('download', '--from-file', list, '--json');
  assert.equal(jsonLines(listed).at(-1)?.['keyExpired'], true);

  const job = { name: 'one', exchange: 'binance-futures', types: ['trades'], symbols: ['BTCUSDT'] };
  const config = join(dir, 'tickhaul.json');
  await writeFile(config, JSON.stringify({ jobs: [{ ...job, from: '2024-03-01', to: '2024-03-03' }] }));
  const synced = await reported('sync', '--config', config, '--json');
  assert.equal(jsonLines(synced).at(-1)?.['keyExpired'], true);
});

test('does not mention the expiry of a valid key', async (t) => {
  const service = await sandbox(t);
  const done = await runHere(['plan', ...SELECTION, '--json'], { env: envOf(service, await tempDir(t)) });
  assert.equal(done.stderr, '');
  assert.ok(!('keyExpired' in (jsonLines(done).at(-1) ?? {})));
});
