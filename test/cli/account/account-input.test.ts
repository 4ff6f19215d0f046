import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { Secrets } from '../../../src/base/secrets.js';
import type { CliProcess } from '../../../src/cli/arguments/command.js';
import { parseCommandLine } from '../../../src/cli/arguments/parse-command-line.js';
import { COMMANDS } from '../../../src/cli/commands/command-list.js';
import { runCommand } from '../../../src/cli/run-command.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { createSink } from '../output/sink.js';
import { accountEnv, EMAIL, LOGIN, storedIn } from './account-helpers.js';

function cliOf(env: Record<string, string>): CliProcess {
  return {
    env,
    stdin: Readable.from([]),
    stdout: createSink(),
    stderr: createSink(),
    dataOut: new PassThrough(),
    signal: new AbortController().signal,
    passSignals: () => {},
    reportBug: (thrown) => thrown,
    exitNow: (exitCode) => assert.fail(`left with ${exitCode}`),
    home: '/nonexistent',
    user: undefined,
    pid: process.pid,
    host: 'here',
    secrets: new Secrets(),
    standardStream: () => undefined,
    commandLine: 'tickhaul',
    isAlive: () => true,
    endGroup: () => {},
  };
}

const WRONG: readonly [args: readonly string[], env: Record<string, string>, message: RegExp][] = [
  [['login'], {}, /--email is required/],
  [['login', '--email', 'jo'], {}, /"jo" is not an e-mail address; use the form name@example\.com/],
  [['login', '--email', 'a@b@c.de'], {}, /not an e-mail address/],
  [['login', '--email', 'a b@c.de'], {}, /not an e-mail address/],
  [[...LOGIN, '--timeout', 'soon'], {}, /--timeout: "soon" is not a duration/],
  [LOGIN, { TICKHAUL_AUTH_URL: 'http://auth.example.com' }, /use https/],
  [[...LOGIN, '--auth-url', 'auth.example.com'], {}, /--auth-url: .* is not an address/],
  [['logout'], {}, /use --email <address> or --all/],
  [['logout', '--all', '--email', EMAIL], {}, /use --email <address> or --all/],
  [['account', 'delete'], {}, /delete.* is not one of "call"/],
  [['account', 'call'], {}, /the operation is missing/],
  [['account', '--data', '{}'], {}, /--data requires an operation/],
  [['account', 'call', 'x', '--data', '{"s3cret'], {}, /--data: its value is not JSON/],
  [['account', 'call', 'x', '--data', '@none.json'], {}, /--data: cannot read "none\.json" \(ENOENT\)/],
  [['account', 'call', 'getaccount'], {}, /unknown operation "getaccount"; did you mean getAccount/],
];

async function failureOf(words: readonly string[], cli: CliProcess): Promise<unknown> {
  try {
    const parsed = await parseCommandLine(COMMANDS, words, 80);
    return parsed.kind === 'run' ? await runCommand(parsed.command, parsed.args, cli) : parsed;
  } catch (error) {
    return error;
  }
}

test('invalid input is a usage error in one line, and nothing is stored', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  for (const [words, more, message] of WRONG) {
    const env = { ...accountEnv(service, dir), ...more };
    const failure = await failureOf(words, cliOf(env));
    assert.ok(failure instanceof TickhaulError, `${words.join(' ')}: ${failure}`);
    assert.equal(failure.code, 'usage', words.join(' '));
    assert.match(failure.message, message);
    assert.ok(!/\n|s3cret/.test(failure.message));
  }
  assert.deepEqual(storedIn(dir), []);
});
