import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { FolderPool, markDestination } from '../../src/fleet/folder-pool.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { type LockOwner, tryAcquireRunLock } from '../../src/store/lock/run-lock.js';
import { tempDir } from '../helpers/temp.js';

test('a folder whose lock is lost while it is opened serves one slice, and the next slice opens it again', async (t) => {
  const dir = await tempDir(t);
  const owner = (): LockOwner => {
    return { pid: process.pid, host: 'here', now: Date.now(), command: 'worker', isAlive: () => true };
  };
  let opened = 0;
  await markDestination(openFolderDestination(dir), new AbortController().signal);
  const open = async (): Promise<Destination> => {
    const folder = openFolderDestination(dir);
    const joinRun: Destination['joinRun'] = async (...args) => {
      const joined = await folder.joinRun(...args);
      if (++opened > 1) return joined;
      return { ...joined, lost: AbortSignal.abort(new TickhaulError('locked', 'it was held up')) };
    };
    return { ...folder, joinRun };
  };
  const folders = new FolderPool(open, owner, assert.fail, new AbortController().signal);
  await folders.use({ dir }, async ({ lost }) => assert.ok(lost?.aborted));
  await folders.use({ dir }, async (second) => {
    assert.equal(second.lost?.aborted, false);
    await folders.use({ dir }, async (third) => assert.equal(third, second));
  });
  assert.equal(opened, 2);
  await folders.close();
  const free = await tryAcquireRunLock(dir, owner());
  assert.ok(free, 'the end of the worker waits for nothing that lingers');
  await free.release();
});
