import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { envOf, failedWith, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { BUSY, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import {
  assertWholeLines,
  countSliceRequests,
  listCachedFiles,
  replayInProcess,
} from '../../raw-feeds/replaying.js';

const PERIOD = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:30'];

test('replays complete messages of channels and symbols in the exchange’s order; then without a service', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const env = { ...envOf(service, dir), TM_CACHE_DIR: join(dir, 'slices') };
  const args = ['replay', 'bitmex:XBTUSD', '--channel', 'trade,quote', ...PERIOD];
  const { exitCode, stdout, stderr } = await tickhaul(args, { env });
  assert.equal(exitCode, 0, stderr);
  assertWholeLines(stdout);
  assert.match(
    stdout.split('\n')[0] ?? '',
    /^\{"localTimestamp":"2024-03-01T00:\d\d:\d\d\.\d{7}Z","message":\{"table":"(?:trade|quote)","action":"insert","data":\[\{.*"symbol":"XBTUSD".*\}\]\}\}$/,
  );
  assert.doesNotMatch(stdout, /ETHUSD|orderBookL2/);
  const filters = ['trade', 'quote'].map((channel) => ({ channel, symbols: ['XBTUSD'] }));
  assert.equal(stdout, (await replayInProcess(service, await tempDir(t), { filters })).text);

  await service.close();
  const keyless = { ...envOf(service, dir, ''), TM_CACHE_DIR: '/nonexistent' };
  const out = join(dir, 'out', 'a.ndjson.gz');
  const more = ['--cache-dir', join(dir, 'slices'), '--offline', '--json', '-o', out];
  const offline = await succeeded(runHere([...args, ...more], { env: keyless }));
  assert.equal(gunzipSync(readFileSync(out)).toString(), stdout);
  const { seconds, ...summary } = JSON.parse(offline.stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.equal(typeof seconds, 'number');
  const messages = stdout.split('\n').length - 1;
  assert.deepEqual(summary, { event: 'summary', exitCode: 0, messages, bytes: Buffer.byteLength(stdout) });
});

test('--with-disconnects marks each disconnect once', async (t) => {
  const { env } = await sandboxAndFolder(t, { ...BUSY, feeds: { breaks: 0.5, suggestedMinutes: 1 } });
  const args = ['replay', 'bitmex', '--channel', 'all', ...PERIOD];
  const plain = await runHere(args, { env });
  const marked = await succeeded(runHere([...args, '--with-disconnects', '--offline'], { env }));
  assert.doesNotMatch(plain.stdout, /\n\n/);
  assert.match(marked.stdout, /\n\n/);
  assert.doesNotMatch(marked.stdout, /\n\n\n/);
  assert.equal(marked.stdout.replace(/\n\n/g, '\n').replace(/^\n/, ''), plain.stdout);
});

test('refuses invalid requests with their exit codes, before requesting a slice', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t, BUSY);
  const trades = ['bitmex', '--channel', 'trade'];
  const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [
      2,
      /unknown channel "trades" of bitmex; did you mean trade\?/,
      ['bitmex', '--channel', 'trades', ...PERIOD],
    ],
    [2, /unknown exchange "bitmx"; did you mean bitmex\?/, ['bitmx', '--channel', 'trade', ...PERIOD]],
    [2, /is not an exchange id/, ['../bitmex', '--channel', 'trade', ...PERIOD]],
    [
      2,
      /unknown symbol "XBTUS" on bitmex; did you mean XBTUSD\?/,
      ['bitmex:XBTUS', '-t', 'trade', '--source', 'feeds', ...PERIOD],
    ],
    [
      2,
      /bitmex has no option_summary messages/,
      ['bitmex', '-t', 'option_summary', '--source', 'feeds', ...PERIOD],
    ],
    [2, /use only one of them/, [...trades, '-t', 'trade', ...PERIOD]],
    [2, /--source datasets: day files have no channels/, [...trades, '--source', 'datasets', ...PERIOD]],
    [2, /one exchange/, ['deribit', ...trades, ...PERIOD]],
    [2, /list channels to select symbols/, ['bitmex:XBTUSD', '--channel', 'all', ...PERIOD]],
    [
      2,
      /the period has no whole minute/,
      [...trades, '--from', '2024-03-01T00:00:10', '--to', '2024-03-01T00:00:50'],
    ],
    [2, /is not in UTC/, [...trades, '--from', '2024-03-01T00:00+02:00', '--to', '2024-03-02']],
    [2, /--dir is for day files, .* raw data; omit it$/m, [...trades, ...PERIOD, '--dir', 'days']],
    [2, /--layout is for day files/, [...trades, ...PERIOD, '--layout', 'hive']],
    [2, /--cache-dir: s3:/, [...trades, ...PERIOD, '--cache-dir', 's3://bucket/cache']],
    [7, /ends in the future/, [...trades, '--from', '2024-03-01', '--to', '2999-01-01']],
    [7, /not in the cache; run without --offline/, [...trades, ...PERIOD, '--offline']],
  ];
  for (const [code, message, args] of cases) {
    const { exitCode, stdout, stderr } = await runHere(['replay', ...args], { env });
    assert.equal(exitCode, code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
  const closed = ['replay', ...trades, '--from', '2024-03-02T00:00', '--to', '2024-03-02T00:05'];
  const { exitCode, stderr } = await runHere(closed, { env: envOf(service, dir, '') });
  assert.equal(exitCode, 4, stderr);
  assert.match(stderr, /^tickhaul: bitmex 2024-03-02T00:00 and 4 more minutes: needs an API key/);
  assert.equal(countSliceRequests(service), 0);
  const wrong = await runHere(closed, { env: envOf(service, dir, 'wrong-key') });
  assert.equal(wrong.exitCode, 4);
  assert.equal(wrong.stdout, '');
  assert.doesNotMatch(wrong.stderr, /wrong-key/);
});

test('warns of symbols that the record lacks, and of requests that match nothing', async (t) => {
  const { service, env } = await sandboxAndFolder(t, BUSY);
  const unknown = Array.from({ length: 58 }, (_, i) => `M${i}`);
  const many = `bitmex:xbtusd,${unknown.join(',')},ETHUSD`;
  const split = await succeeded(runHere(['replay', many, '--channel', 'trade', ...PERIOD], { env }));
  assert.match(split.stderr, /does not list M0, M1, M10 and 55 more/);
  const whole = await runHere(['replay', 'bitmex:XBTUSD,ETHUSD', '--channel', 'trade', ...PERIOD], { env });
  assert.equal(split.stdout, whole.stdout);
  assert.ok(service.requests.every(({ status }) => status === 200));

  const none = await succeeded(
    runHere(['replay', 'bitmex:XBTUSDT', '--channel', 'trade', ...PERIOD], { env }),
  );
  assert.equal(none.stdout, '');
  assert.match(none.stderr, /did you mean XBTUSD\?/);
  assert.match(none.stderr, /no message of the period matches/);
});

test('accepts symbols of Binance in any case, and reads them from one slice', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, BUSY);
  const texts: string[] = [];
  for (const symbol of ['BTCUSDT', 'btcusdt']) {
    const args = ['replay', `binance-futures:${symbol}`, '--channel', 'trade', ...PERIOD];
    const { stdout } = await succeeded(runHere([...args, '--cache-dir', join(dir, symbol)], { env }));
    assert.match(stdout, /"stream":"btcusdt@trade"/);
    texts.push(stdout);
  }
  assert.equal(texts[0], texts[1]);
  assert.deepEqual(await listCachedFiles(join(dir, 'BTCUSDT')), await listCachedFiles(join(dir, 'btcusdt')));
  const { stdout } = await succeeded(
    runHere(['instruments', 'binance-futures', 'BTCUSDT', '--json'], {
      env,
    }),
  );
  assert.deepEqual([JSON.parse(stdout).id, JSON.parse(stdout).datasetId], ['btcusdt', 'BTCUSDT']);
});

test('verify --cache reads every slice; a replay repairs damaged ones', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, BUSY);
  const cache = ['--cache-dir', join(dir, 'cache')];
  const replay = ['replay', 'bitmex', '--channel', 'trade', ...PERIOD, ...cache];
  const right = await runHere(replay, { env });
  await succeeded(runHere(['verify', '--cache', ...cache], { env }));
  const [first = '', ...others] = await listCachedFiles(join(dir, 'cache'));
  assert.ok(others.length > 3);
  truncateSync(join(dir, 'cache/feeds', first), 30);
  const broken = await runHere(['verify', '--cache', '--json', ...cache], { env });
  assert.equal(broken.exitCode, 6);
  const lines = broken.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.filter(({ status }) => status === 'corrupt').map(({ path }) => path),
    [first],
  );
  assert.equal(lines.filter(({ status }) => status === 'verified').length, others.length);
  assert.equal(lines.at(-1).event, 'summary');
  const mended = await runHere(replay, { env });
  assert.equal(mended.stdout, right.stdout);
  assert.match(mended.stderr, /warning .*fetching it again/);
  await succeeded(runHere(['verify', '--cache', ...cache], { env }));
  const cleared = await runHere([...replay, '--clear-cache', '--offline'], { env });
  assert.equal(cleared.exitCode, 7);
  assert.deepEqual(readdirSync(join(dir, 'cache')), []);
  const empty = await succeeded(runHere(['verify', '--cache', ...cache], { env }));
  assert.match(empty.stderr, /no slices in .*feeds: nothing is cached/);
  assert.doesNotMatch(empty.stderr, /day files/);
  await failedWith(
    runHere(['verify', '--cache', '--cache-dir', join(dir, 'nowhere')], { env }),
    2,
    /nowhere: no such folder; .*--cache-dir/,
  );
  await failedWith(
    runHere(['verify', ...cache], { env }),
    2,
    /^tickhaul: --cache-dir requires --cache; add it\n$/,
  );
  await succeeded(runHere(['verify', '--cache'], { env: { ...env, XDG_CACHE_HOME: join(dir, 'none') } }));
});

test('--speed keeps all messages, and an interrupt ends after a complete line', async (t) => {
  const { env } = await sandboxAndFolder(t, { ...BUSY, rows: 5000, feeds: { suggestedMinutes: 10 } });
  const args = ['replay', 'bitmex', '--channel', 'trade', ...PERIOD, '-q'];
  const plain = await runHere(args, { env });
  const paced = await succeeded(runHere([...args, '--speed', '100000'], { env }));
  assert.equal(paced.stdout, plain.stdout);
  const slow = start([...args, '--speed', '1'], { env });
  await slow.printed('localTimestamp');
  slow.child.kill('SIGINT');
  const { exitCode, stdout } = await slow.finished;
  assert.equal(exitCode, 130);
  assert.ok(stdout !== '' && plain.stdout.startsWith(stdout));
  assert.ok(stdout.endsWith('\n'));
});
