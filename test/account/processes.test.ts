import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { AccountSession } from '../../src/account/account-session.js';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { setUpAccount } from '../../src/service/account-api.js';
import { cleanUp } from '../helpers/clean-up.js';
import { rounds } from '../helpers/services.js';
import { type Account, countPosts, expireStored, sandboxAccount, storeNewIdentity } from './helpers.js';

/** The child's script in one file, which starts in a third of the time. */
let bundle = '';
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tickhaul-child-'));
  bundle = join(folder, 'refresh-child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./refresh-child.js', import.meta.url))],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "import{createRequire as of}from'node:module';const require=of(import.meta.url);" },
  });
});
after(() => rm(dirname(bundle), { recursive: true, force: true }));

const REGISTER = '/agent/identity';
const TOKEN = '/oauth2/token';

/** Starts a child that waits until its stdin ends. @param limit command of the shell that starts it. */
async function startChild(
  { configDir }: Account,
  service: Sandbox,
  limit = 'ulimit -c 0',
): Promise<ChildProcess> {
  const words = [process.execPath, bundle, configDir, service.apiUrl, service.issuerUrl];
  const child = spawn('sh', ['-c', `${limit} && exec "$0" "$@"`, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

async function use(account: Account): Promise<void> {
  const [identity] = await account.store.list();
  assert.ok(identity);
  const session = new AccountSession(account, identity);
  await session.authorized((token) => setUpAccount(account.calls, token));
}

test('processes that refresh concurrently store one valid identity', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const old = await expireStored(account, await storeNewIdentity(account));
  const children: ChildProcess[] = [];
  cleanUp(t, () => {
    for (const child of children) child.kill('SIGKILL');
  });
  // Start a few at a time, since starting takes long.
  while (children.length < rounds(12)) {
    children.push(...(await Promise.all(Array.from({ length: 4 }, () => startChild(account, service)))));
  }
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin?.end();
  const codes = (await Promise.all(ends)).map(([code]) => code);
  assert.deepEqual(new Set(codes), new Set([0]));
  assert.equal(countPosts(service, REGISTER), 2);
  const [identity] = await account.store.list();
  assert.notEqual(identity?.refreshToken, old.refreshToken);
  await use(account);
});

/** When the refreshing process is killed: at its request, at its next request, or milliseconds after the first. */
const MOMENTS = ['requested', 'stored', 2, 0, 8, 32] as const;

test('SIGKILL at any moment of a refresh leaves the old or the new identity', async (t) => {
  let onRequest = (_url: string): void => {};
  const { service, account } = await sandboxAccount(t, { onRequest: ({ url }) => onRequest(url) });
  for (const moment of MOMENTS.slice(0, rounds(8))) {
    await account.store.remove();
    const old = await expireStored(account, await storeNewIdentity(account));
    const child = await startChild(account, service);
    const kill = (): unknown => child.kill('SIGKILL');
    onRequest = (url) => {
      if (url === (moment === 'stored' ? TOKEN : REGISTER)) {
        if (typeof moment === 'number') setTimeout(kill, moment);
        else kill();
      }
    };
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
    onRequest = () => {};
    const [remaining, ...others] = await account.store.list();
    assert.ok(remaining);
    assert.deepEqual(others, []);
    if (moment === 'requested') assert.deepEqual(remaining, old);
    if (moment === 'stored') assert.notEqual(remaining.refreshToken, old.refreshToken);
    if (remaining.refreshToken === old.refreshToken) {
      assert.deepEqual(remaining, old);
      // The refresh token is used up, which no client can prevent; the error reports it.
      await assert.rejects(use(account), { code: 'not_signed_in' });
    } else {
      await use(account);
    }
  }
});

test('detects a full disk before it uses the refresh token', async (t) => {
  const { service, account } = await sandboxAccount(t);
  const old = await expireStored(account, await storeNewIdentity(account));
  const before = service.requests.length;
  const child = await startChild(account, service, 'ulimit -f 8');
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  child.stdin?.end();
  await closed;
  assert.match(stderr, /larger than the limit for files here \(ulimit -f\)/);
  assert.equal(service.requests.length, before);
  assert.deepEqual(await account.store.list(), [old]);
});
