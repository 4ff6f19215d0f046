import assert from 'node:assert/strict';
import { once } from 'node:events';
import { TickhaulError } from '../../../src/base/errors.js';
import { succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import type { StoreCall } from '../../helpers/s3/call.js';
import type { Harm } from '../../helpers/s3/shim.js';
import { storeTest } from '../../helpers/services.js';
import { DOWNLOAD, NAMES, type StoreRig, storeRig } from './rig.js';

const DAY_FILE = /csv\.gz$/;
const RECORDS = /\/\.tickhaul\/manifest\//;
const TRADES = NAMES.filter((name) => name.includes('_trades_'));

interface Point {
  readonly words: (at: StoreRig['at']) => readonly string[];
  /** Requests at which the store stops responding. */
  readonly operation: StoreCall['operation'];
  readonly key: RegExp;
}

/** Commands, each after a download of three day files. */
const POINTS: readonly Point[] = [
  {
    words: (at) => [
      ...['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-01'],
      ...['--convert', 'parquet', '--no-keep-csv', '--dir', at('data')],
    ],
    operation: 'DeleteObject',
    key: DAY_FILE,
  },
  {
    words: (at) => ['convert', at(`data/${TRADES}`), '--no-keep-source'],
    operation: 'DeleteObject',
    key: DAY_FILE,
  },
  {
    words: (at) => [
      ...['replay', 'binance-futures:BTCUSDT', '-t', 'trade', '--date', '2024-03-01'],
      ...['--dir', at('data'), '-o', at('made/lines.ndjson')],
    ],
    operation: 'PutObject',
    key: /lines\.ndjson/,
  },
  {
    words: (at) => ['plan', ...DOWNLOAD.slice(1), '--dir', at('data'), '--pin', at('made/plan.json')],
    operation: 'PutObject',
    key: /plan\.json/,
  },
  { words: (at) => ['lock', '--dir', at('data'), '-o', '-'], operation: 'GetObject', key: RECORDS },
  {
    words: (at) => ['manifest', 'merge', at('data'), '--dir', at('made')],
    operation: 'GetObject',
    key: RECORDS,
  },
];

storeTest('an interrupt ends a command whose store is silent, without partial objects', async (t) => {
  const rig = await storeRig(t);
  const { env, shim, bucket } = rig;
  await succeeded(rig.run(...DOWNLOAD, '--dir', rig.at('data')));
  for (const { words, operation, key } of POINTS) {
    const point = words(rig.at).join(' ');
    const first = shim.calls.length;
    const met = shim.harm(operation, 'silence', 1, key);
    const interrupt = new AbortController();
    const running = runHere(words(rig.at), { env, signal: interrupt.signal });
    const early = await Promise.race([met.then(() => undefined), running]);
    assert.equal(early, undefined, `${point}: ${early?.stderr}`);
    const asked = (): number =>
      shim.calls.slice(first).filter((call) => call.operation === operation && key.test(call.key)).length;
    const before = asked();
    interrupt.abort(new TickhaulError('interrupted', 'interrupted (SIGINT)'));
    const ended = await running;
    assert.equal(ended.exitCode, 130, `${point}: ${ended.stderr}`);
    assert.equal(asked(), before, `${point}: it is not asked again`);
    assert.deepEqual(await bucket.keys('made/'), [], point);
    await rig.assertTrue('data');
  }
  assert.deepEqual([await bucket.uploads(), await rig.files('data')], [[], [...NAMES, ...PARQUET].sort()]);
});

/** The conversion is stored before its source is removed. */
const PARQUET = TRADES.map((name) => name.replace('.csv.gz', '.parquet'));

const LEASE = /\/\.tickhaul\/locks\//;

/** When a run is killed: before the store gets a request, or before its response arrives. */
const MOMENTS: readonly (readonly [StoreCall['operation'], Harm, RegExp])[] = [
  ['PutObject', 'held answer', LEASE],
  ['UploadPart', 'silence', DAY_FILE],
  ['CompleteMultipartUpload', 'silence', DAY_FILE],
  ['CompleteMultipartUpload', 'held answer', DAY_FILE],
  ['PutObject', 'held answer', DAY_FILE],
  ['PutObject', 'silence', RECORDS],
  ['PutObject', 'held answer', RECORDS],
];

storeTest(
  'a killed run leaves no partial file and no wrong record, and the next run completes',
  async (t) => {
    const rig = await storeRig(t);
    for (const [at, [operation, harm, key]] of MOMENTS.entries()) {
      const point = `${operation} ${String(harm)} ${key}`;
      const prefix = `killed-${at}`;
      const words = [...DOWNLOAD, '--dir', rig.at(prefix)];
      const { child, finished } = rig.start(...words);
      const met = rig.shim.harm(operation, harm, 1, key);
      const early = await Promise.race([met.then(() => undefined), finished]);
      assert.equal(early, undefined, `${point}: ${early?.stderr}`);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;

      const before = await rig.assertTrue(prefix);
      assert.ok(
        before.every((path) => NAMES.includes(path)),
        point,
      );
      const asked = rig.asked().length;
      const standing = (await rig.files(prefix)).length;
      const next = await rig.run(...words);
      assert.equal(next.exitCode, 0, `${point}: ${next.stderr}`);
      assert.deepEqual(await rig.files(prefix), NAMES, point);
      assert.deepEqual(await rig.assertTrue(prefix), NAMES, point);
      assert.equal(rig.asked().length - asked, NAMES.length - standing, `${point}: what stands is adopted`);
    }
  },
);

storeTest('uploads of a killed run are aborted a day later', async (t) => {
  const rig = await storeRig(t);
  const words = [...DOWNLOAD, '--dir', rig.at('data')];
  const { child, finished } = rig.start(...words);
  const early = await Promise.race([
    rig.shim.harm('CompleteMultipartUpload', 'silence').then(() => undefined),
    finished,
  ]);
  assert.equal(early, undefined, early?.stderr);
  child.kill('SIGKILL');
  await finished;
  assert.equal((await rig.bucket.uploads()).length, 1);

  await succeeded(rig.run(...words));
  assert.equal((await rig.bucket.uploads()).length, 1, 'it may be of a run that goes on');
  const dayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
  const met = rig.shim.harm('ListMultipartUploads', (answer) =>
    answer.replaceAll(/<Initiated>[^<]*</g, `<Initiated>${dayAgo}<`),
  );
  await succeeded(rig.run(...words));
  await met;
  assert.deepEqual(await rig.bucket.uploads(), []);
});
