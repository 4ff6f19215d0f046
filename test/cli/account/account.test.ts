import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { accountCommand } from '../../../src/cli/commands/account.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { type Finished, failedWith, jsonLines, start } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import {
  accountEnv,
  assertNoSecrets,
  EMAIL,
  identitiesOf,
  LOGIN,
  linkOf,
  loginWithCode,
  otherFiles,
  storedIn,
} from './account-helpers.js';

test('a sign-in, calls and a logout print and store what they should, and no secret', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = accountEnv(service, dir);
  const outputs: string[] = [];
  const run = async (...args: string[]): Promise<Finished> => {
    const done = await runHere([...args, '--verbose'], { env });
    outputs.push(done.stdout, done.stderr);
    return done;
  };

  const started = start([...LOGIN, '--json', '--verbose'], { env, keepStdin: true });
  const link = await linkOf(started);
  outputs.push(readFileSync(`/proc/${started.child.pid}/cmdline`, 'latin1'));
  const code = await approveClaim(link, EMAIL);
  // Enough requests for a warning of Node if each added a listener.
  started.child.stdin?.end(`${'nope-nope\n'.repeat(12)}${code}\n`);
  const login = await started.finished;
  outputs.push(login.stdout, login.stderr);
  assert.equal(login.exitCode, 0, login.stderr);
  const events = jsonLines(login);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['registered', 'verification', ...new Array(13).fill('code'), 'verified', 'account', 'summary'],
  );
  assert.doesNotMatch(login.stderr, /warning/i);
  assert.equal(events[1]?.['uri'], link);
  const host = new URL(service.issuerUrl).host;
  const summary = events.at(-1);
  assert.deepEqual(summary, {
    event: 'summary',
    exitCode: 0,
    email: EMAIL,
    issuer: host,
    reused: false,
    seconds: summary?.['seconds'],
  });

  const again = await run(...LOGIN);
  assert.equal(again.stdout, `signed in as ${EMAIL} at ${host}\n`);

  const shown = await run('account', '--json');
  assert.equal((JSON.parse(shown.stdout) as { email: string }).email, EMAIL);
  assert.equal((await run('account')).stdout, `${JSON.stringify(JSON.parse(shown.stdout), null, 2)}\n`);

  const operations = JSON.parse((await run('account', '--operations', '--json')).stdout) as {
    operationId: string;
  }[];
  assert.ok(operations.some(({ operationId }) => operationId === 'getUsage'));
  assert.match((await run('account', '--operations')).stdout, /^getUsage +from, \[to\] +Data transfer/m);

  const example = accountCommand.examples
    .map(([words]) => /^\$0 (account call \w+ --data) '(.*)'$/.exec(words))
    .at(-1);
  const [, words = '', data = ''] = example ?? assert.fail('no example calls an operation');
  const called = await run(...words.split(' '), data, '--json');
  assert.deepEqual([called.exitCode, called.stderr.includes('tickhaul:')], [0, false], called.stderr);

  const { refreshToken } = JSON.parse(storedIn(dir)[0] ?? '') as { refreshToken: string };
  const description = {
    paths: { '/v1/x': { get: { operationId: 'x', summary: `Bearer ${refreshToken}` } } },
  };
  service.issuer.answerNext(
    'openapi',
    { status: 401, body: '{}' },
    { status: 200, body: JSON.stringify(description) },
  );
  assert.match((await run('account', '--operations')).stdout, /^x +Bearer \*\*\*$/m);

  const call = ['account', 'call', 'updateAccount', '--json', '--data'];
  await writeFile(join(dir, 'data.json'), '{"name":"Jo"}');
  const changed = JSON.parse((await run(...call, `@${dir}/data.json`)).stdout) as { name: string };
  assert.equal(changed.name, 'Jo');
  const wrong = await run(...call, '{"name":5}');
  assert.deepEqual([wrong.exitCode, wrong.stdout], [3, '']);
  const done = await run('account', 'call', 'deactivateApiKey', '--data', '{"keyId":"key_2"}');
  assert.deepEqual([done.exitCode, done.stdout], [0, '']);

  service.issuer.failNext('token', 'invalid_grant');
  await failedWith(
    run('account'),
    4,
    /tickhaul: the stored identity has expired or was revoked \(invalid_grant.*; sign in again with tickhaul login/,
  );

  const [stored = ''] = storedIn(dir);
  const kinds = service.issuer.secrets.filter(({ value }) => stored.includes(value)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['assertion', 'refresh_token']);
  assert.equal((await run('logout', '--email', EMAIL, '--json')).stdout, '{"forgotten":1}\n');
  assert.deepEqual(storedIn(dir), []);
  const gone = await run('account');
  assert.deepEqual([gone.exitCode, gone.stdout], [4, '']);

  outputs.push(otherFiles(dir));
  assertNoSecrets(service, outputs.join('\n'));
});

test('of two identities one is selected by its e-mail, and a world-readable file is refused', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = accountEnv(service, dir);
  assert.equal((await loginWithCode(env)).exitCode, 0);
  const other = ['login', '--email', 'ann@example.com', '--json'];
  const started = start(other, { env, keepStdin: true });
  started.child.stdin?.end(`${await approveClaim(await linkOf(started), 'ann@example.com')}\n`);
  assert.equal((await started.finished).exitCode, 0);

  const { exitCode, stderr } = await runHere(['account'], { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /choose one with --email \(ann@example\.com, jo@example\.com\)/);
  const one = await runHere(['account', '--email', 'ann@example.com', '--json'], { env });
  assert.equal((JSON.parse(one.stdout) as { email: string }).email, 'ann@example.com');

  await chmod(identitiesOf(dir), 0o755);
  const wrong = await runHere(['account'], { env });
  assert.equal(wrong.exitCode, 2, wrong.stderr);
  assert.match(wrong.stderr, /others may read your credentials \(mode 0755\).*: chmod 700 \S+identities\n$/);
  await chmod(identitiesOf(dir), 0o700);
  assert.equal((await runHere(['logout', '--all'], { env })).stdout, '2 stored identities forgotten\n');
});
