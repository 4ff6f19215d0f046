import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { replay } from '../../../src/index.js';
import { envOf, start, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { countSliceRequests } from '../../raw-feeds/replaying.js';
import { normalizeInProcess } from '../../replay/normalized-feeds/normalizing.js';

const FEEDS = ['--source', 'feeds'];
const PERIOD = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:30'];
const TYPES = 'trade,derivative_ticker,trade_bar_1m,quote';

test('command and library give the same normalized messages, with threads too; then without a service', async (t) => {
  const service = await sandbox(t, { feeds: { breaks: 0.2 } });
  const dir = await tempDir(t);
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
  const offline = await tickhaul([...args, ...PERIOD, ...more], { env: keyless });
  assert.equal(offline.exitCode, 0, offline.stderr);
  assert.equal(gunzipSync(readFileSync(out)).toString(), stdout);
  const { seconds, ...summary } = JSON.parse(offline.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(typeof seconds, 'number');
  const { messages } = right;
  assert.deepEqual(summary, { event: 'summary', exitCode: 0, messages, bytes: Buffer.byteLength(stdout) });
});

test('feeds of lighter give the messages of its day files', async (t) => {
  const service = await sandbox(t, { rows: 5000 });
  const dir = await tempDir(t);
  const types = 'trade,book_change,derivative_ticker,liquidation,book_ticker,book_snapshot_5_1s';
  const args = ['replay', 'lighter:0,1', '-t', types, ...PERIOD, '-q'];
  const env = envOf(service, dir);
  const feeds = await runHere([...args, ...FEEDS], { env });
  assert.equal(feeds.exitCode, 0, feeds.stderr);
  assert.ok(feeds.stdout.split('\n').length > 100);
  const files = await runHere([...args, '--dir', join(dir, 'data')], { env });
  assert.equal(files.exitCode, 0, files.stderr);
  assert.deepEqual(feeds.stdout.split('\n').sort(), files.stdout.split('\n').sort());
});

test('refuses invalid requests with their exit codes, before requesting a slice', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const trades = ['bitmex', '-t', 'trade'];
  const closed = ['--from', '2024-03-02T00:00', '--to', '2024-03-02T00:05'];
  const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [
      2,
      /unknown symbol "XBTUS" on bitmex; did you mean XBTUSD\?/,
      ['bitmex:XBTUS', '-t', 'trade', ...PERIOD],
    ],
    [2, /bitmex has no option_summary messages/, ['bitmex', '-t', 'option_summary', ...PERIOD]],
    [
      2,
      /the period has no whole minute/,
      [...trades, '--from', '2024-03-01T00:00:10', '--to', '2024-03-01T00:00:50'],
    ],
    [7, /not in the cache; run without --offline/, [...trades, ...PERIOD, '--offline']],
    [4, /bitmex 2024-03-02T00:00 and 4 more minutes: needs an API key/, [...trades, ...closed]],
  ];
  for (const [code, message, args] of cases) {
    const { exitCode, stdout, stderr } = await runHere(['replay', ...args, ...FEEDS], {
      env: code === 4 ? envOf(service, dir, '') : env,
    });
    assert.equal(exitCode, code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
  assert.equal(countSliceRequests(service), 0);
  const wrong = await runHere(['replay', ...trades, ...FEEDS, ...closed], {
    env: envOf(service, dir, 'wrong-key'),
  });
  assert.equal(wrong.exitCode, 4);
  assert.equal(wrong.stdout, '');
  assert.doesNotMatch(wrong.stderr, /wrong-key/);
});

test('a truncated body, a reader that leaves and an interrupt each end after a complete line', async (t) => {
  const service = await sandbox(t, { feeds: { faults: { truncate: 0.3 }, suggestedMinutes: 1 }, seed: 3 });
  const sound = await sandbox(t, { seed: 3 });
  const dir = await tempDir(t);
  const types = ['-t', 'trade,book_change,derivative_ticker'];
  const args = ['replay', 'bitmex', ...types, ...FEEDS, ...PERIOD, '-q', '--json'];
  const right = await runHere(args, { env: envOf(sound, dir) });
  assert.equal(right.exitCode, 0, right.stderr);
  const cut = await runHere([...args, '--retries', '0'], { env: envOf(service, await tempDir(t)) });
  assert.equal(cut.exitCode, 6);
  assert.ok(right.stdout.startsWith(cut.stdout) && /^$|\n$/.test(cut.stdout));
  const summary = JSON.parse(cut.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(summary.messages, cut.stdout.split('\n').length - 1);
  assert.equal(summary.error.code, 'corrupt');

  const env = envOf(sound, dir);
  const script = `"$0" "$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const day = ['replay', 'bitmex', ...types, ...FEEDS, '--date', '2024-03-01', '-q'];
  const left = await tickhaul(day, { env, command: ['bash', '-c', script, process.execPath] });
  assert.match(left.stdout, /^\{"type":.*\}\n0\n$/);
  const slow = start([...day, '--speed', '1'], { env });
  await slow.printed('localTimestamp');
  slow.child.kill('SIGINT');
  const { exitCode, stdout } = await slow.finished;
  assert.equal(exitCode, 130);
  assert.ok(stdout.endsWith('\n') && right.stdout.startsWith(stdout));
});
