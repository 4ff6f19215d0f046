import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, utimes, watch, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readProcess, readProcessIdentity } from '../../../src/store/lock/lock-holder.js';
import { type LockOwner, startFileHeartbeat, tryAcquireRunLock } from '../../../src/store/lock/run-lock.js';
import { isAlive } from '../../helpers/is-alive.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';

/** A folder, and the path of its lock. */
async function lockFolder(t: TestContext): Promise<{ readonly dir: string; readonly path: string }> {
  const dir = await tempDir(t);
  return { dir, path: join(dir, '.tickhaul', 'lock') };
}

/** A process id that no process has. */
const UNUSED_PID = 5_000_000;
function owner(n: number, changes: Partial<LockOwner> = {}): LockOwner {
  const pid = UNUSED_PID + n;
  return { pid, host: 'here', now: Date.now(), command: 'download', isAlive: () => true, ...changes };
}
const holderOf = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, 'utf8')).pid - UNUSED_PID;

test('the lock file has its holder and is removed with the lock', async (t) => {
  const { dir, path } = await lockFolder(t);
  const lock = await tryAcquireRunLock(dir, owner(1));
  const fields = Object.keys(JSON.parse(await readFile(path, 'utf8')));
  assert.deepEqual(fields, ['pid', 'host', 'started', 'command']);
  await lock?.release();
  assert.deepEqual(readdirSync(dirname(path)), [], 'nothing is left of it, under any name');
});

test('a lock of an ended process on this host is taken over, and its late release leaves the new lock alone', async (t) => {
  const { dir, path } = await lockFolder(t);
  const dead = await tryAcquireRunLock(dir, owner(1));
  const next = await tryAcquireRunLock(dir, owner(2, { isAlive: (pid) => pid !== UNUSED_PID + 1 }));
  assert.ok(dead && next);
  await dead.release();
  assert.equal(await holderOf(path), 2);
  await next.release();
});

test('of many runs that find the same stale lock, one gets it', async (t) => {
  const { dir, path } = await lockFolder(t);
  for (let round = 0; round < 20; round++) {
    const dead = await tryAcquireRunLock(dir, owner(999));
    const isAlive = (pid: number): boolean => pid !== UNUSED_PID + 999;
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, n) => tryAcquireRunLock(dir, owner(n, { isAlive }))),
    );
    const locks = tries.filter((lock) => lock !== undefined);
    assert.equal(locks.length, 1);
    assert.equal(
      await holderOf(path),
      tries.findIndex((lock) => lock !== undefined),
    );
    await locks[0]?.release();
    await dead?.release();
  }
});

for (const [name, text, runsHere] of [
  ['of another host', '{"pid":1,"host":"there"}', false],
  ['of an unknown owner', '{"pid"', false],
  ['of a number that another process has now', '{"pid":1,"host":"here"}', true],
] as const) {
  test(`a lock ${name} is valid until two minutes after its last heartbeat`, async (t) => {
    const { dir, path } = await lockFolder(t);
    await (await tryAcquireRunLock(dir, owner(1)))?.release();
    await writeFile(path, text);
    const now = Date.now();
    const next = owner(2, { now, isAlive: () => runsHere });
    const touched = (secondsAgo: number) => utimes(path, new Date(now), new Date(now - secondsAgo * 1000));
    await touched(110);
    assert.equal(await tryAcquireRunLock(dir, next), undefined);
    await touched(130);
    const lock = await tryAcquireRunLock(dir, next);
    assert.ok(lock);
    await lock.release();
  });
}

/** Processes are identified by their start time, which needs /proc. */
const NO_PROC = (await readProcessIdentity(process.pid)) === undefined && 'no /proc here';

test('a running process keeps its lock, however old, and a process that reuses its id does not have it', {
  skip: NO_PROC,
}, async (t) => {
  const { dir, path } = await lockFolder(t);
  const first = await tryAcquireRunLock(dir, owner(0, { pid: process.pid }));
  const old = new Date(Date.now() - 3_600_000);
  await utimes(path, old, old);
  assert.equal(await tryAcquireRunLock(dir, owner(2)), undefined);
  const held = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...held, process: { ...held.process, start: '1' } }));
  const second = await tryAcquireRunLock(dir, owner(2));
  assert.ok(first && second);
  await first.release();
  assert.equal(await holderOf(path), 2);
  await second.release();
});

test('process ids of another container on a host with the same name prove nothing', {
  skip: NO_PROC,
}, async (t) => {
  const { dir, path } = await lockFolder(t);
  const first = await tryAcquireRunLock(dir, owner(0, { pid: process.pid }));
  const held = JSON.parse(await readFile(path, 'utf8'));
  const elsewhere = { ...held, pid: UNUSED_PID, process: { ...held.process, machine: 'another' } };
  await writeFile(path, JSON.stringify(elsewhere));
  assert.equal(await tryAcquireRunLock(dir, owner(2, { isAlive: () => false })), undefined);
  await first?.release();
});

interface TestHeartbeat {
  readonly lost: Promise<void>;
  /** Sets an old modification time. */
  age(): void;
  /** Whether the modification time was updated since. */
  touched(): boolean;
  end(): Promise<void>;
}

/** A file with a heartbeat, and how to observe it. */
async function startTestHeartbeat(file: string): Promise<TestHeartbeat> {
  const handle = await open(file, 'wx+');
  await handle.writeFile('{}');
  const old = new Date(1_000_000_000_000);
  const age = (): void => utimesSync(file, old, old);
  age();
  let lose: () => void = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  const heartbeat = startFileHeartbeat(file, handle, 5, lose);
  const end = async (): Promise<void> => {
    await heartbeat.stop();
    await handle.close();
  };
  return { lost, age, touched: () => statSync(file).mtimeMs > old.getTime(), end };
}

test('a heartbeat continues, and does not change the bytes', async (t) => {
  const { dir } = await lockFolder(t);
  const file = join(dir, 'heartbeat');
  const { age, touched, end } = await startTestHeartbeat(file);
  await until('a heartbeat', touched);
  age();
  await until('another heartbeat', touched);
  await end();
  assert.equal(await readFile(file, 'utf8'), '{}');
});

test('a run is notified when it loses the lock to another run', async (t) => {
  const { dir } = await lockFolder(t);
  const file = join(dir, 'heartbeat');
  const { lost, end } = await startTestHeartbeat(file);
  await writeFile(join(dir, 'other'), '');
  await rename(join(dir, 'other'), file);
  // The timer of the heartbeat does not keep the process alive.
  const alive = setInterval(() => {}, 1000);
  await lost;
  clearInterval(alive);
  await end();
});

test('a folder that cannot be created is an error', async (t) => {
  const { dir } = await lockFolder(t);
  await writeFile(join(dir, 'file'), '');
  await assert.rejects(tryAcquireRunLock(join(dir, 'file'), owner(1)), { code: 'disk' });
});

const CHILD = fileURLToPath(new URL('./lock-child.js', import.meta.url));

test('of two processes with forty attempts each, exactly one at a time has the lock', async (t) => {
  const { dir } = await lockFolder(t);
  const children = [1, 2].map(() => promisify(execFile)(process.execPath, [CHILD, dir, '40']));
  await Promise.all(children);
  assert.deepEqual(await readdir(join(dir, '.tickhaul')), []);
});

test('the lock of a killed process is taken over at once', async (t) => {
  const { dir } = await lockFolder(t);
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

test('a process that is killed as soon as its lock exists has stored its identity in it', async (t) => {
  const { dir, path } = await lockFolder(t);
  await mkdir(dirname(path));
  const child = spawn(process.execPath, [CHILD, dir, '1', 'hang'], { stdio: 'ignore' });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('it ended without a lock')));
  for await (const { filename } of watch(dirname(path), { signal: ended.signal }))
    if (filename === 'lock') break;
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await tryAcquireRunLock(dir, owner(0, { pid: process.pid, host: hostname(), isAlive }));
  assert.ok(lock);
  await lock.release();
});

test('a zombie process counts as ended', { skip: NO_PROC }, async () => {
  // The shell is replaced by a program that never waits for its child.
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
