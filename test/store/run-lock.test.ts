import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type LockOwner, tryLock } from '../../src/store/run-lock.js';

let dir = '';
let path = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tickhaul-lock-'));
  path = join(dir, '.tickhaul', 'lock');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function owner(pid: number, changes: Partial<LockOwner> = {}): LockOwner {
  return { pid, host: 'here', now: Date.now(), command: 'download', isAlive: () => true, ...changes };
}
const holder = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')).pid;

test('the first gets the lock, the second does not, till it is released', async () => {
  const first = await tryLock(dir, owner(1));
  assert.ok(first);
  assert.deepEqual(Object.keys(JSON.parse(await readFile(path, 'utf8'))), [
    'pid',
    'host',
    'started',
    'command',
  ]);
  assert.equal(await tryLock(dir, owner(2)), undefined);
  await first.release();
  await first.release();
  await assert.rejects(stat(path), { code: 'ENOENT' });
  const second = await tryLock(dir, owner(2));
  assert.ok(second);
  await second.release();
});

test('a dead owner of this host is taken over, and its late release leaves the new lock alone', async () => {
  const dead = await tryLock(dir, owner(1));
  const next = await tryLock(dir, owner(2, { isAlive: (pid) => pid !== 1 }));
  assert.ok(dead && next);
  await dead.release();
  assert.equal(await holder(), 2);
  await next.release();
});

test('of many that find the same dead owner, one gets the lock', async () => {
  for (let round = 0; round < 20; round++) {
    const dead = await tryLock(dir, owner(999));
    const isAlive = (pid: number): boolean => pid !== 999;
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryLock(dir, owner(n, { isAlive }))),
    );
    const locks = tries.filter((lock) => lock !== undefined);
    assert.equal(locks.length, 1);
    assert.equal(
      await holder(),
      tries.findIndex((lock) => lock !== undefined),
    );
    await locks[0]?.release();
    await dead?.release();
  }
});

for (const [name, text] of [
  ['of another host', '{"pid":1,"host":"there"}'],
  ['of an unknown owner', '{"pid"'],
  ['of a number that another process has now', '{"pid":1,"host":"here"}'],
] as const) {
  test(`a lock ${name} is honoured until two minutes after it was touched`, async () => {
    await (await tryLock(dir, owner(1)))?.release();
    await writeFile(path, text);
    const now = Date.now();
    const touched = (secondsAgo: number) => utimes(path, new Date(now), new Date(now - secondsAgo * 1000));
    await touched(110);
    assert.equal(await tryLock(dir, owner(2, { now })), undefined);
    await touched(130);
    const lock = await tryLock(dir, owner(2, { now }));
    assert.ok(lock);
    await lock.release();
  });
}

test('a held lock is touched every 30 seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lock = await tryLock(dir, owner(1));
  const old = new Date(1_000_000_000_000);
  await utimes(path, old, old);
  t.mock.timers.tick(30_000);
  while ((await stat(path)).mtimeMs === old.getTime()) await new Promise(setImmediate);
  await lock?.release();
});

test('a folder that cannot be made is an error', async () => {
  await writeFile(join(dir, 'file'), '');
  await assert.rejects(tryLock(join(dir, 'file'), owner(1)), { code: 'disk' });
});
