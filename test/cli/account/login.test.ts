import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../account/helpers.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { type Finished, failedWith, jsonLines, type Started, start, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import {
  accountEnv,
  EMAIL,
  identitiesOf,
  LOGIN,
  linkOf,
  loginWithCode,
  storedIn,
} from './account-helpers.js';

test('a program drives a sign-in by events, with a file for the code', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const file = join(dir, 'code.txt');
  const env = accountEnv(service, dir);
  const started = start([...LOGIN, '--json', '--code-file', file], { env });
  const link = await linkOf(started);
  const code = await approveClaim(link, EMAIL);
  await writeFile(file, 'wrong-code\n');
  await started.printed(/"reason":"wrong"/);
  service.issuer.failNext('complete', 'stale_organization_selection');
  await writeFile(file, `${code}\n`);
  // The choice on the page has not changed the code.
  await started.printed(/"reason":"organization"/);
  await writeFile(file, `${code}\n`);
  const { exitCode, stderr } = await started.finished;
  assert.equal(exitCode, 0, stderr);
  assert.equal(stderr, '');
});

test('a sign-in continues after the reader of its output has left', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const file = join(dir, 'code.txt');
  const started = start([...LOGIN, '--json', '--code-file', file], { env: accountEnv(service, dir) });
  const code = await approveClaim(await linkOf(started), EMAIL);
  started.child.stdout?.destroy();
  await writeFile(file, code);
  assert.equal((await started.finished).exitCode, 0);
  assert.ok(service.requests.some(({ url, status }) => url === '/v1/account' && status === 201));
});

test('a missing code, an interrupt and a timeout each end with the documented exit code', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = accountEnv(service, dir);
  const summaryOf = (done: Finished): unknown => jsonLines(done).at(-1)?.['exitCode'];

  const empty = await runHere([...LOGIN, '--json'], { env });
  assert.deepEqual([empty.exitCode, summaryOf(empty)], [4, 4]);
  assert.match(empty.stderr, /no code was given: stdin has ended; .* --code-file\n$/);

  // Stdin as nohup sets it.
  const command = ['sh', '-c', 'exec "$0" "$@" 0> /dev/null', process.execPath];
  const unreadable = await tickhaul([...LOGIN, '--json'], { env, command });
  assert.deepEqual([unreadable.exitCode, summaryOf(unreadable)], [4, 4]);
  assert.match(unreadable.stderr, /no code was given: stdin cannot be read \(EBADF\); .* --code-file\n$/);

  execFileSync('mkfifo', [`${dir}/pipe`]);
  const pipe = await runHere([...LOGIN, '--json', '--code-file', `${dir}/pipe`], { env });
  assert.deepEqual([pipe.exitCode, summaryOf(pipe)], [2, 2]);
  assert.match(pipe.stderr, /--code-file: ".*\/pipe" is a pipe, and must be a file; .*: < \S+\/pipe\n$/);

  const refused = await runHere([...LOGIN, '--json', '--api-key-file', '-'], { env, stdin: 'a-key\n' });
  assert.equal(refused.exitCode, 4, refused.stderr);
  assert.match(refused.stderr, /no code was given: stdin has ended/);

  const waiting = start([...LOGIN, '--json'], { env, keepStdin: true });
  await linkOf(waiting);
  waiting.child.kill('SIGINT');
  const interrupted = await waiting.finished;
  assert.deepEqual([interrupted.exitCode, summaryOf(interrupted)], [130, 130]);

  const late = await runHere([...LOGIN, '--json', '--timeout', '300ms', '--code-file', `${dir}/none`], {
    env,
  });
  assert.deepEqual([late.exitCode, summaryOf(late)], [5, 5]);
  assert.match(late.stderr, /the sign-in was not finished within 0\.3s\n$/);
  assert.deepEqual(storedIn(dir), []);
});

test('the time limit of a sign-in includes issuer discovery and waits for other processes', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = accountEnv(service, dir);
  const late = [...LOGIN, '--json', '--timeout', '300ms'];
  service.issuer.failNext('resource', 'stall');
  const unanswered = await runHere(late, { env });
  assert.equal(unanswered.exitCode, 5, unanswered.stderr);
  assert.deepEqual(
    jsonLines(unanswered).map(({ event }) => event),
    ['summary'],
  );

  // Each identity has a separate lock, which another process holds here.
  const { host } = new URL(service.issuerUrl);
  await openStore(dirname(identitiesOf(dir)), service.apiUrl).update(host, EMAIL, async () => {
    await failedWith(runHere(late, { env }), 5, /the sign-in was not finished within 0\.3s\n$/);
    return { assertion: 'an-assertion', refreshToken: 'a-refresh-token' };
  });
});

/** The last step without an identity and the first with one come first, which every run has. */
const STEPS = [
  '/agent/identity/claim/complete',
  '/oauth2/token',
  '/agent/identity',
  '/agent/identity/claim',
  '/v1/account',
];

test('SIGKILL at each step of a sign-in leaves no identity or a complete one', async (t) => {
  for (const step of STEPS.slice(0, rounds(STEPS.length))) {
    let started: Started | undefined;
    const service = await sandbox(t, {
      onRequest: ({ url }) => {
        if (url === step) started?.child.kill('SIGKILL');
      },
    });
    const dir = await tempDir(t);
    const env = accountEnv(service, dir);
    started = start([...LOGIN, '--json'], { env, keepStdin: true });
    const link = linkOf(started).then((uri) => approveClaim(uri, EMAIL));
    link.then((code) => started?.child.stdin?.end(`${code}\n`)).catch(() => {});
    const { exitCode } = await started.finished;
    assert.equal(exitCode, null, step);
    const isVerified = step === '/oauth2/token' || step === '/v1/account';
    assert.equal(storedIn(dir).length, isVerified ? 1 : 0, step);
    started = undefined;
    const next = isVerified ? await runHere([...LOGIN, '--json'], { env }) : await loginWithCode(env);
    assert.equal(next.exitCode, 0, next.stderr);
    assert.equal(jsonLines(next).at(-1)?.['reused'], isVerified);
  }
});
