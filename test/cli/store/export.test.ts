import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_STORE } from '../../helpers/s3/gateway.js';
import { resultsOf } from '../export/exporting.js';
import { DOWNLOAD, storeRig } from './rig.js';

const NPZ = 'binance-futures_2024-03-01_BTCUSDT.npz';

test('exports from a bucket to a bucket, skips what is up to date, and verifies it', {
  skip: NO_STORE,
}, async (t) => {
  const rig = await storeRig(t);
  const downloaded = await rig.run(...DOWNLOAD, '--dir', rig.at('data'));
  assert.equal(downloaded.exitCode, 0, downloaded.stderr);
  const words = ['export', 'hftbacktest', rig.at('data'), '-o', rig.at('npz'), '--json'];
  for (const status of ['converted', 'skipped'])
    assert.deepEqual(resultsOf(await rig.run(...words)), [[`${status} ${NPZ}`], 0]);
  assert.deepEqual(await rig.files('npz'), [NPZ]);
  assert.deepEqual(await rig.bucket.uploads(), []);
  const verify = ['verify', rig.at('npz'), '--json'];
  assert.deepEqual(resultsOf(await rig.run(...verify)), [[`verified ${NPZ}`], 0]);
  await rig.bucket.write(`npz/${NPZ}`, 'other');
  assert.deepEqual(resultsOf(await rig.run(...verify)), [[`corrupt ${NPZ}`], 6]);
  assert.deepEqual(resultsOf(await rig.run(...words)), [[`converted ${NPZ}`], 0]);
});
