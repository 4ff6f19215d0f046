import assert from 'node:assert/strict';
import { TickhaulError } from '../../../src/base/errors.js';
import { runHere } from '../../helpers/in-process.js';
import type { StoreCall } from '../../helpers/s3/call.js';
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
  const downloadRun = await rig.run(...DOWNLOAD, '--dir', rig.at('data'));
  assert.equal(downloadRun.exitCode, 0, downloadRun.stderr);
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
