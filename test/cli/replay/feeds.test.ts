import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { replay } from '../../../src/index.js';
import { envOf, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { normalizeInProcess } from '../../replay/normalized-feeds/normalizing.js';

const FEEDS = ['--source', 'feeds'];
const PERIOD = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:30'];
const TYPES = 'trade,derivative_ticker,trade_bar_1m,quote';

test('command and library give the same normalized messages, with threads too; then without a service', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { feeds: { breaks: 0.2 } });
  const slices = join(dir, 'slices');
  const env = { ...envOf(service, dir), TM_CACHE_DIR: slices };
  const args = ['replay', 'bitmex:xbtusd', '-t', TYPES, ...FEEDS, '--with-disconnects'];
  const { exitCode, stdout, stderr } = await tickhaul([...args, ...PERIOD], { env });
  assert.equal(exitCode, 0, stderr);
  const input = { exchanges: ['bitmex:XBTUSD'], types: TYPES, withDisconnects: true };
  const right = await normalizeInProcess(service, await tempDir(t), input);
  assert.equal(stdout, right.text);
  assert.match(stderr, new RegExp(`^${right.messages} messages, .*\n$`));

  const reported: unknown[] = [];
  const run = replay({
    exchange: 'bitmex:xbtusd',
    types: TYPES,
    source: 'feeds',
    withDisconnects: true,
    ...{ from: '2024-03-01T00:00:59.9', to: '2024-03-01T00:30:30', cacheDir: slices, offline: true },
    ...{ apiUrl: service.apiUrl, datasetsUrl: service.datasetsUrl },
  });
  for await (const message of run) reported.push(message);
  assert.deepEqual(
    reported,
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );

  await service.close();
  const out = join(dir, 'out', 'a.ndjson.gz');
  const more = ['--cache-dir', slices, '--offline', '--json', '-o', out];
  const keyless = { ...envOf(service, dir, ''), TM_CACHE_DIR: '/nonexistent' };
  const offline = await succeeded(runHere([...args, ...PERIOD, ...more], { env: keyless }));
  assert.equal(gunzipSync(readFileSync(out)).toString(), stdout);
  const { seconds, ...summary } = JSON.parse(offline.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(typeof seconds, 'number');
  const { messages } = right;
  assert.deepEqual(summary, { event: 'summary', exitCode: 0, messages, bytes: Buffer.byteLength(stdout) });
});

test('feeds of lighter give the messages of its day files', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { rows: 5000 });
  const types = 'trade,book_change,derivative_ticker,liquidation,book_ticker,book_snapshot_5_1s';
  const args = ['replay', 'lighter:0,1', '-t', types, ...PERIOD, '-q'];
  const feeds = await succeeded(runHere([...args, ...FEEDS], { env }));
  assert.ok(feeds.stdout.split('\n').length > 100);
  const files = await succeeded(runHere([...args, '--dir', join(dir, 'data')], { env }));
  assert.deepEqual(feeds.stdout.split('\n').sort(), files.stdout.split('\n').sort());
});

test('a truncated body and an interrupt each end after a complete line', async (t) => {
  const service = await sandbox(t, { feeds: { faults: { truncate: 0.3 }, suggestedMinutes: 1 }, seed: 3 });
  const sound = await sandbox(t, { seed: 3 });
  const dir = await tempDir(t);
  const types = ['-t', 'trade,book_change,derivative_ticker'];
  const args = ['replay', 'bitmex', ...types, ...FEEDS, ...PERIOD, '-q', '--json'];
  const right = await succeeded(runHere(args, { env: envOf(sound, dir) }));
  const cut = await runHere([...args, '--retries', '0'], { env: envOf(service, await tempDir(t)) });
  assert.equal(cut.exitCode, 6);
  assert.ok(right.stdout.startsWith(cut.stdout) && /^$|\n$/.test(cut.stdout));
  const summary = JSON.parse(cut.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(summary.messages, cut.stdout.split('\n').length - 1);
  assert.equal(summary.error.code, 'corrupt');

  const day = ['replay', 'bitmex', ...types, ...FEEDS, '--date', '2024-03-01', '-q'];
  const slow = start([...day, '--speed', '1'], { env: envOf(sound, dir) });
  await slow.printed('localTimestamp');
  slow.child.kill('SIGINT');
  const { exitCode, stdout } = await slow.finished;
  assert.equal(exitCode, 130);
  assert.ok(stdout.endsWith('\n') && right.stdout.startsWith(stdout));
});
