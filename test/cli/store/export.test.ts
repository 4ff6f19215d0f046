import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { jsonLines, succeeded } from '../../helpers/cli.js';
import { storeTest } from '../../helpers/services.js';
import { resultsOf } from '../export/exporting.js';
import { DOWNLOAD, storeRig } from './rig.js';

const NPZ = 'binance-futures_2024-03-01_BTCUSDT.npz';
const JSON_NAME = 'binance-futures_2024-03-01_BTCUSDT.json';

storeTest('exports from a bucket to a bucket, skips what is up to date, and verifies it', async (t) => {
  const rig = await storeRig(t);
  await succeeded(rig.run(...DOWNLOAD, '--dir', rig.at('data')));
  const words = ['export', 'hftbacktest', rig.at('data'), '-o', rig.at('npz'), '--json'];
  for (const status of ['converted', 'skipped'])
    assert.deepEqual(resultsOf(await rig.run(...words)), [[`${status} ${NPZ}`], 0]);
  assert.deepEqual(await rig.files('npz'), [JSON_NAME, NPZ, 'run_hftbacktest.py']);
  assert.deepEqual(await rig.bucket.uploads(), []);
  const verify = ['verify', rig.at('npz'), '--json'];
  assert.deepEqual(resultsOf(await rig.run(...verify)), [[`verified ${JSON_NAME}`, `verified ${NPZ}`], 0]);
  for (const name of [NPZ, JSON_NAME]) await rig.bucket.write(`npz/${name}`, 'other');
  assert.deepEqual(resultsOf(await rig.run(...verify)), [[`corrupt ${JSON_NAME}`, `corrupt ${NPZ}`], 6]);
  await rig.bucket.write('npz/run_hftbacktest.py', 'mine');
  const again = await rig.run(...words);
  assert.deepEqual(resultsOf(again), [[`converted ${NPZ}`], 0]);
  assert.match(
    again.stderr,
    /npz\/run_hftbacktest\.py: keeping this file, which is not as an export wrote it/,
  );
  assert.deepEqual(jsonLines(again).at(-1)?.['scripts'], [{ path: rig.at('npz/run_hftbacktest.py') }]);
  assert.equal(JSON.parse(String(await rig.bucket.read(`npz/${JSON_NAME}`))).asset_type, 'linear');
});

storeTest(
  'exports a catalog from a bucket to a bucket, and replaces an output that was damaged',
  async (t) => {
    const rig = await storeRig(t);
    await succeeded(rig.run(...DOWNLOAD, '--dir', rig.at('data')));
    const words = ['export', 'nautilus', rig.at('data'), '-o', rig.at('catalog'), '--json'];
    const name = '2024-03-01T00-00-00-000100000Z_2024-03-01T00-00-00-000100000Z.parquet';
    const results = (status: string) => [Array(3).fill(`${status} ${name}`), 0];
    for (const status of ['converted', 'skipped'])
      assert.deepEqual(resultsOf(await rig.run(...words)), results(status));
    const paths = ['order_book_deltas', 'quote_tick', 'trade_tick'].map(
      (folder) => `data/${folder}/BTCUSDT.BINANCE/${name}`,
    );
    const [instrument = '', ...others] = (await rig.files('catalog')).slice(0, -1);
    assert.match(instrument, /^data\/currency_pair\/BTCUSDT\.BINANCE\/[^/]+\.parquet$/);
    assert.deepEqual(others, paths);
    assert.deepEqual(await rig.bucket.uploads(), []);
    const [book = '', , trades = ''] = paths;
    const inspected = await rig.run('inspect', `${rig.at('catalog')}/${trades}`, '--json');
    assert.equal(JSON.parse(inspected.stdout).rows, 70, inspected.stderr);
    const verify = ['verify', rig.at('catalog'), '--json'];
    const verified = [`verified ${basename(instrument)}`, ...Array(3).fill(`verified ${name}`)];
    assert.deepEqual(resultsOf(await rig.run(...verify)), [verified, 0]);
    const below = await rig.run('verify', `${rig.at('catalog')}/data/trade_tick`, '--json');
    assert.deepEqual(resultsOf(below), [[`verified ${name}`], 0], below.stderr);
    const whole = await rig.bucket.read(`catalog/${book}`);
    await rig.bucket.write(`catalog/${book}`, 'other');
    assert.equal((await rig.run(...verify)).exitCode, 6);
    assert.deepEqual(resultsOf(await rig.run(...words)), [
      [`converted ${name}`, `skipped ${name}`, `skipped ${name}`],
      0,
    ]);
    assert.deepEqual(await rig.bucket.read(`catalog/${book}`), whole);

    await rig.bucket.write(`catalog/${trades}`, 'other');
    const renamed = await rig.run(...words, '--catalog', 'rust');
    assert.deepEqual(resultsOf(renamed), results('converted'));
    assert.deepEqual(
      (await rig.files('catalog')).filter((path) => paths.includes(path)),
      [book, trades],
      'only unchanged outputs with other names are removed',
    );
    assert.deepEqual(
      (await rig.files('catalog')).filter((path) => /currency_pair|instruments/.test(path)),
      [instrument.replace('currency_pair', 'instruments')],
    );
    assert.match(renamed.stderr, new RegExp(`warning .*${trades}: keeping this output .* has 5 bytes`));
  },
);
