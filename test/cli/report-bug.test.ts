import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BIN, type CliOptions, envOf, type Finished, tickhaul } from '../helpers/cli.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const WORDS = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date=2024-03-01'];
const URL_SECRETS = 'https://joe:pass-word@host/day?token=t0ken';

/** Runs a copy of the package, in which the module that runs downloads is damaged. */
async function runDamaged(
  t: TestContext,
  code: string,
  words: readonly string[],
  options: CliOptions,
): Promise<Finished> {
  const copy = await tempDir(t);
  await cp(dirname(BIN), join(copy, 'lib'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const modules = (await readdir(join(copy, 'lib'))).filter((name) => name.startsWith('run-download-jobs-'));
  assert.equal(modules.length, 1);
  await writeFile(join(copy, 'lib', modules.join()), code);
  return tickhaul(words, { ...options, bin: join(copy, 'lib', 'tickhaul.js') });
}

test('a bug names a private file with its details, which contain no secret', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const keyFile = join(dir, 'key');
  await writeFile(keyFile, `${service.apiKey}\n`, { mode: 0o600 });
  const temporary = join(dir, 'temporary');
  await mkdir(temporary);
  const secret = 'Aws/secret+text';
  const secrets = `${service.apiKey} ${secret} ${URL_SECRETS}`;
  const { exitCode, stdout, stderr } = await runDamaged(
    t,
    `throw new Error('cannot use ${secrets}', { cause: new Error('inner ${secrets}') });`,
    [...WORDS, '--api-key-file', keyFile, '--json'],
    { env: { ...envOf(service, dir, ''), TMPDIR: temporary, AWS_SECRET_ACCESS_KEY: secret } },
  );
  assert.equal(exitCode, 1, stderr);
  const [name = ''] = await readdir(temporary);
  const path = join(temporary, name);
  const shown = 'cannot use *** *** https://***@host/day?token=***';
  const { error } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  assert.deepEqual(error, {
    code: 'bug',
    message: `a bug in tickhaul: ${shown}; please report it and include the details in ${path}`,
  });
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const details = await readFile(path, 'utf8');
  assert.match(details, /^tickhaul \d+\.\d+\.\d+, Node v\d+/);
  assert.match(details, /^command: download -t -s --date --api-key-file --json$/m);
  assert.ok(details.includes(`Error: ${shown}\n    at `), details);
  assert.ok(details.includes(`Error: ${shown.replace('cannot use', 'inner')}`), details);
  for (const text of [service.apiKey, secret, 'pass-word', 't0ken', 'BTC-PERPETUAL', keyFile])
    assert.ok(!(stdout + stderr + details).includes(text), text);
});

test('without a folder for temporary files, the details of a bug are printed', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const noFolder = join(dir, 'file');
  await writeFile(noFolder, '');
  const env = { ...envOf(service, dir), TMPDIR: noFolder };
  const { exitCode, stderr } = await runDamaged(t, 'export const broken = (', WORDS, { env });
  assert.equal(exitCode, 1, stderr);
  assert.match(stderr, /^command: download -t -s --date\nSyntaxError: .*\n {4}at /m);
  assert.match(
    stderr,
    /^tickhaul: a bug in tickhaul: .*please report it and include\s+the\s+lines\s+above$/ms,
  );
});
