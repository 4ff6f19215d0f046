import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { StoreCall } from '../../helpers/s3/call.js';
import type { Harm } from '../../helpers/s3/shim.js';
import { storeTest } from '../../helpers/services.js';
import { DOWNLOAD, NAMES, storeRig } from './rig.js';

const DAY_FILE = /csv\.gz$/;
const RECORDS = /\/\.tickhaul\/manifest\//;
const LEASE = /\/\.tickhaul\/locks\//;

/** When a run is killed: before the store gets a request, or before its response arrives. */
const POINTS: readonly (readonly [StoreCall['operation'], Harm, RegExp])[] = [
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
    for (const [at, [operation, harm, key]] of POINTS.entries()) {
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

  const next = await rig.run(...words);
  assert.equal(next.exitCode, 0, next.stderr);
  assert.equal((await rig.bucket.uploads()).length, 1, 'it may be of a run that goes on');
  const dayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
  const met = rig.shim.harm('ListMultipartUploads', (answer) =>
    answer.replaceAll(/<Initiated>[^<]*</g, `<Initiated>${dayAgo}<`),
  );
  const later = await rig.run(...words);
  assert.equal(later.exitCode, 0, later.stderr);
  await met;
  assert.deepEqual(await rig.bucket.uploads(), []);
});
