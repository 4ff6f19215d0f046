/** Acquires a folder’s lock repeatedly, and checks each time that no other process has it. */
import { open, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { tryAcquireRunLock } from '../../../src/store/lock/run-lock.js';
import { isAlive } from '../../helpers/is-alive.js';

const [dir = '', rounds = '', hang] = process.argv.slice(2);
const marker = join(dir, 'marker');
const owner = { pid: process.pid, host: hostname(), now: Date.now(), command: 'child', isAlive };

for (let round = 0; round < Number(rounds); ) {
  const lock = await tryAcquireRunLock(dir, owner);
  if (!lock) {
    await new Promise(setImmediate);
    continue;
  }
  // Fails if another process has it.
  const handle = await open(marker, 'wx');
  await handle.close();
  if (hang) {
    process.stdout.write('held\n');
    setInterval(() => {}, 1000);
    await new Promise(() => {});
  }
  await rm(marker);
  await lock.release();
  round++;
}
