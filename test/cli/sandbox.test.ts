import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { BIN, start, succeeded, tickhaul } from '../helpers/cli.js';
import { namesIn, tempDir } from '../helpers/temp.js';
import { inTerminal, NO_TERMINAL } from '../helpers/terminal.js';
import { post } from '../sandbox/issuer/helpers.js';

test('lines set the environment, flags set lifetimes and faults of the account, and a signal is a normal end', async (t) => {
  const flags = ['--auth-fault', 'register:500=1', '--auth-fault-limit', '1', '--claim-lifetime', '0s'];
  const { child, printed, finished } = start(['sandbox', '--verbose', '--rows', '50', ...flags]);
  cleanUp(t, () => killAndWait(child));
  let text = '';
  child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await printed('TICKHAUL_API_KEY=');
  const env = Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  for (const name of ['TICKHAUL_API_URL', 'TICKHAUL_DATASETS_URL', 'TICKHAUL_AUTH_URL'])
    assert.match(env[name] ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  const issuerUrl = env['TICKHAUL_AUTH_URL'];
  const identity = { type: 'service_auth', login_hint: 'jo@example.com' };
  assert.equal((await post(`${issuerUrl}/agent/identity`, identity)).status, 500);
  const { body } = await post(`${issuerUrl}/agent/identity`, identity);
  const { token } = body['claim'] as { token: string };
  const claim = await post(`${issuerUrl}/agent/identity/claim`, { ...identity, claim_token: token });
  assert.equal(claim.body['code'], 'claim_expired');
  child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await finished;
  assert.equal(exitCode, 0);
  assert.match(stderr, /POST \/agent\/identity 500/);
  assert.ok(!(stdout + stderr).includes(token));
});

test('an unknown fault of the account is a usage error', async () => {
  const { exitCode, stderr } = await tickhaul(['sandbox', '--auth-fault', 'tokn:500=1']);
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /unknown step "tokn"; did you mean token\?/);
});

const ON_LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+$/;

/** Prints the arguments and the environment of a program, as JSON. */
const TELL = 'process.stdout.write(JSON.stringify({ env: process.env, words: process.argv.slice(1) }))';

test('sandbox -- runs a command with its environment, a generated key and unchanged words', async () => {
  const words = ['-x', '--', '', "it's", '--json', '*'];
  const { stdout, stderr } = await succeeded(
    tickhaul(['sandbox', '--rows', '50', '--', process.execPath, '-e', TELL, '--', ...words], {
      env: { TICKHAUL_API_KEY: 'mine', TARDIS_API_KEY: 'mine', TM_API_KEY: 'mine', NO_PROXY: 'host' },
    }),
  );
  const { env, ...given } = JSON.parse(stdout) as { env: Record<string, string>; words: string[] };
  assert.deepEqual(given.words, words);
  assert.deepEqual(
    Object.entries(env).filter(([, value]) => value === 'mine'),
    [],
  );
  assert.equal(env['TICKHAUL_API_KEY'], 'sandbox-key');
  assert.equal(env['NO_PROXY'], 'host,127.0.0.1');
  for (const name of ['TICKHAUL_API_URL', 'TICKHAUL_DATASETS_URL', 'TICKHAUL_AUTH_URL'])
    assert.match(env[name] ?? '', ON_LOOPBACK);
  assert.ok(stderr.includes(env['TICKHAUL_API_URL'] ?? '?'), 'the address is reported');
});

test('a command in the sandbox can download, and sandbox exits with its exit code', async (t) => {
  const dir = await tempDir(t);
  const script = '"$0" "$1" download deribit -t trades -s BTC-PERPETUAL --last 1d && exit 7';
  const { exitCode, stdout, stderr } = await tickhaul(
    ['sandbox', '--rows', '50', '--quiet', '--', 'sh', '-c', script, process.execPath, BIN],
    { env: { TICKHAUL_DIR: dir, XDG_CACHE_HOME: `${dir}/.cache`, HTTP_PROXY: 'http://127.0.0.1:1' } },
  );
  assert.equal(exitCode, 7, stderr);
  assert.equal(stdout, '');
  assert.equal((await namesIn(dir)).length, 1);
});

for (const [what, words, exitCode, said] of [
  ['ended by a signal', ['sh', '-c', 'kill -KILL $$'], 137, /^$/],
  ['not there', ['no-such-command'], 127, /^tickhaul: no-such-command: no such command$/m],
  ['not one that can be run', ['/'], 126, /^tickhaul: \/: cannot run the command/m],
  ['empty', [''], 2, /<command> is empty/],
] as const) {
  test(`a command that is ${what} ends the sandbox with ${exitCode}`, async () => {
    const finished = await tickhaul(['sandbox', '--quiet', '--', ...words]);
    assert.equal(finished.exitCode, exitCode, finished.stderr);
    assert.match(finished.stderr, said);
  });
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} is handled by the command, and the service runs until its end`, async (t) => {
    const script = `
      process.on('${signal}', async () => {
        const { status } = await fetch(process.env.TICKHAUL_API_URL + '/v1/exchanges');
        process.exit(status === 200 ? 3 : 4);
      });
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const { child, printed, finished } = start(['sandbox', '--', process.execPath, '-e', script]);
    cleanUp(t, () => killAndWait(child));
    await printed('ready');
    child.kill(signal);
    assert.equal((await finished).exitCode, 3);
  });
}

test('Ctrl-C in a terminal reaches the command once, and does not end the service', {
  skip: NO_TERMINAL,
}, async (t) => {
  const script = `
    let count = 0;
    process.on('SIGINT', () => console.log('heard ' + ++count));
    process.stdin.once('data', async () => {
      const { status } = await fetch(process.env.TICKHAUL_API_URL + '/v1/exchanges');
      process.exit(status === 200 && count === 1 ? 5 : 6);
    });
    console.log('ready');`;
  const { child, printed, finished } = inTerminal(
    // The shell of the terminal gets Ctrl-C too.
    'trap : INT; tickhaul sandbox -- "$NODE" -e "$CODE"',
    await tempDir(t),
    { NODE: process.execPath, CODE: script },
  );
  cleanUp(t, () => killAndWait(child));
  await printed('ready');
  child.stdin?.write('\x03');
  await printed('heard 1');
  child.stdin?.write('go\n');
  assert.equal((await finished).exitCode, 5);
});
