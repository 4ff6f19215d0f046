import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TickhaulError } from '../../../src/base/errors.js';
import { acquireRunLock } from '../../../src/store/lock/acquire-run-lock.js';
import { readProcess, readProcessIdentity } from '../../../src/store/lock/process-identity.js';
import { type LockOwner, tryAcquireRunLock } from '../../../src/store/lock/run-lock.js';
import { startHeartbeat } from '../../../src/store/lock/start-heartbeat.js';
import { isAlive } from '../../helpers/is-alive.js';
import { until } from '../../helpers/until.js';

let dir = '';
let path = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tickhaul-lock-'));
  path = join(dir, '.tickhaul', 'lock');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** No process has such a number. */
const NOBODY = 5_000_000;
function owner(n: number, changes: Partial<LockOwner> = {}): LockOwner {
  const pid = NOBODY + n;
  return { pid, host: 'here', now: Date.now(), command: 'download', isAlive: () => true, ...changes };
}
const holder = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')).pid - NOBODY;

test('the first gets the lock, the second does not, till it is released', async () => {
  const first = await tryAcquireRunLock(dir, owner(1));
  assert.ok(first);
  assert.deepEqual(Object.keys(JSON.parse(await readFile(path, 'utf8'))), [
    'pid',
    'host',
    'started',
    'command',
  ]);
  assert.equal(await tryAcquireRunLock(dir, owner(2)), undefined);
  await first.release();
  await first.release();
  await assert.rejects(stat(path), { code: 'ENOENT' });
  const second = await tryAcquireRunLock(dir, owner(2));
  assert.ok(second);
  await second.release();
});

test('a dead owner of this host is taken over, and its late release leaves the new lock alone', async () => {
  const dead = await tryAcquireRunLock(dir, owner(1));
  const next = await tryAcquireRunLock(dir, owner(2, { isAlive: (pid) => pid !== NOBODY + 1 }));
  assert.ok(dead && next);
  await dead.release();
  assert.equal(await holder(), 2);
  await next.release();
});

test('of many that find the same dead owner, one gets the lock', async () => {
  for (let round = 0; round < 20; round++) {
    const dead = await tryAcquireRunLock(dir, owner(999));
    const isAlive = (pid: number): boolean => pid !== NOBODY + 999;
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryAcquireRunLock(dir, owner(n, { isAlive }))),
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
    await (await tryAcquireRunLock(dir, owner(1)))?.release();
    await writeFile(path, text);
    const now = Date.now();
    const touched = (secondsAgo: number) => utimes(path, new Date(now), new Date(now - secondsAgo * 1000));
    await touched(110);
    assert.equal(await tryAcquireRunLock(dir, owner(2, { now })), undefined);
    await touched(130);
    const lock = await tryAcquireRunLock(dir, owner(2, { now }));
    assert.ok(lock);
    await lock.release();
  });
}

/** Real processes are told apart by their start, where there is a /proc. */
const noProc = (await readProcessIdentity(process.pid)) === undefined && 'no /proc here';

test('a process that runs keeps its lock, however old, and one that took its number is not it', {
  skip: noProc,
}, async () => {
  const first = await tryAcquireRunLock(dir, owner(0, { pid: process.pid }));
  const old = new Date(Date.now() - 3_600_000);
  await utimes(path, old, old);
  assert.equal(await tryAcquireRunLock(dir, owner(2)), undefined);
  const held = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...held, process: { ...held.process, start: '1' } }));
  const second = await tryAcquireRunLock(dir, owner(2));
  assert.ok(first && second);
  await first.release();
  assert.equal(await holder(), 2);
  await second.release();
});

test('process numbers of another container on a host of the same name say nothing', {
  skip: noProc,
}, async () => {
  const first = await tryAcquireRunLock(dir, owner(0, { pid: process.pid }));
  const held = JSON.parse(await readFile(path, 'utf8'));
  const elsewhere = { ...held, pid: NOBODY, process: { ...held.process, machine: 'another' } };
  await writeFile(path, JSON.stringify(elsewhere));
  assert.equal(await tryAcquireRunLock(dir, owner(2, { isAlive: () => false })), undefined);
  await first?.release();
});

interface Beating {
  readonly lost: Promise<void>;
  /** Makes the file an old one. */
  age(): void;
  /** Whether it was touched since. */
  touched(): boolean;
  end(): Promise<void>;
}

/** A file with a heartbeat, and how to wait for what it does. */
async function beating(): Promise<Beating> {
  const file = join(dir, 'beating');
  const handle = await open(file, 'wx+');
  await handle.writeFile('{}');
  const old = new Date(1_000_000_000_000);
  const age = (): void => utimesSync(file, old, old);
  age();
  let lose: () => void = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const heartbeat = await startHeartbeat(handle, file, 5, lose);
  const end = async (): Promise<void> => {
    await heartbeat.stop();
    await handle.close();
  };
  return { lost, age, touched: () => statSync(file).mtimeMs > old.getTime(), end };
}

test('a heartbeat goes on while the event loop is busy, and leaves the bytes as they are', async () => {
  const { age, touched, end } = await beating();
  while (!touched()) await new Promise(setImmediate);
  age();
  // No event of this thread is served here.
  while (!touched());
  await end();
  assert.equal(await readFile(join(dir, 'beating'), 'utf8'), '{}');
});

test('who lost the lock to another run is told', async () => {
  const { lost, end } = await beating();
  await writeFile(join(dir, 'other'), '');
  await rename(join(dir, 'other'), join(dir, 'beating'));
  // The heartbeat's thread keeps nothing alive.
  const alive = setInterval(() => {}, 1000);
  await lost;
  clearInterval(alive);
  await end();
});

test('a lock that is held is an error that names its holder, or waited for', async () => {
  const first = await acquireRunLock(dir, owner(1, { command: 'tickhaul sync' }));
  await assert.rejects(acquireRunLock(dir, owner(2)), (error: TickhaulError) => {
    assert.equal(error.exitCode, 9);
    assert.match(error.message, /process 5000001 on here since 20\S+ \(tickhaul sync\); --lock-timeout/);
    return true;
  });
  await assert.rejects(acquireRunLock(dir, owner(2), { timeoutMs: 20 }), { code: 'locked' });
  const { signal } = new AbortController();
  const second = await acquireRunLock(dir, owner(2), {
    timeoutMs: 60_000,
    signal,
    onWait: (who) => {
      assert.match(who, /process 5000001/);
      void first.release();
    },
  });
  await second.release();
  await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('a folder that cannot be made is an error', async () => {
  await writeFile(join(dir, 'file'), '');
  await assert.rejects(tryAcquireRunLock(join(dir, 'file'), owner(1)), { code: 'disk' });
});

const CHILD = fileURLToPath(new URL('./lock-child.js', import.meta.url));

test('of two processes, forty times each, exactly one at a time has the lock', async () => {
  const children = [1, 2].map(() => promisify(execFile)(process.execPath, [CHILD, dir, '40']));
  await Promise.all(children);
  assert.deepEqual(await readdir(join(dir, '.tickhaul')), []);
});

test('a process that is killed gives its lock to the next at once', async () => {
  const child = spawn(process.execPath, [CHILD, dir, '1', 'hang'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const mine = owner(0, { pid: process.pid, host: hostname(), isAlive });
  assert.equal(await tryAcquireRunLock(dir, mine), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await tryAcquireRunLock(dir, mine);
  assert.ok(lock);
  await lock.release();
});

test('one that is killed the moment its lock is there has said who it was', async () => {
  const child = spawn(process.execPath, [CHILD, dir, '1', 'hang'], { stdio: 'ignore' });
  while (!existsSync(path));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await tryAcquireRunLock(dir, owner(0, { pid: process.pid, host: hostname(), isAlive }));
  assert.ok(lock);
  await lock.release();
});

test('a process that ended counts as gone, though nobody heard of its end', { skip: noProc }, async () => {
  // The shell becomes a program that never asks for the end of its child.
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [output] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(output.toString());
  await until('its end', async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z '));
  assert.deepEqual(await readProcess(pid), {});
  assert.equal(await readProcessIdentity(pid), undefined);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});
