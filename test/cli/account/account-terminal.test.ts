import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { browserFor } from '../../helpers/browser.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import type { Started } from '../../helpers/cli.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { browserTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { inTerminal, NO_TERMINAL } from '../../helpers/terminal.js';
import { accountEnv, EMAIL, LOGIN, linkOf, storedIn } from './account-helpers.js';

/** A terminal whose link is read from the screen after it was drawn. */
async function terminalLogin(
  t: TestContext,
  service: Sandbox,
  dir: string,
  args: string,
  env: Record<string, string> = {},
): Promise<{ readonly started: Started; readonly link: string }> {
  const script = `stty cols 100 rows 60; tickhaul ${args}; echo "left with $?"`;
  const started = inTerminal(script, dir, { ...accountEnv(service, dir), ...env });
  cleanUp(t, () => killAndWait(started.child));
  return { started, link: await linkOf(started) };
}

test('shows the link and its QR code on a terminal, rejects a wrong code and accepts the right one', {
  skip: NO_TERMINAL,
}, async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { started, link } = await terminalLogin(t, service, dir, LOGIN.join(' '));
  await started.printed(/Code: /);
  const code = await approveClaim(link, EMAIL);
  started.child.stdin?.write('nope\n');
  await started.printed('The code is wrong. Code: ');
  started.child.stdin?.write(`${code}\n`);
  await started.printed('left with 0');
  started.child.stdin?.end();
  const { stdout } = await started.finished;
  assert.match(stdout, /Open this page and sign in as jo@example\.com:\r\n {2}http/);
  assert.match(stdout, /(?:[█▀▄ ]{20,}\r\n){10}/);
  assert.match(stdout, /signed in as jo@example\.com/);
  const typed = new Set(service.issuer.secrets.filter(({ kind }) => kind === 'user_code'));
  for (const secret of service.issuer.secrets) {
    assert.ok(typed.has(secret) || !stdout.includes(secret.value), secret.kind);
  }
});

test('reports an expired code and shows a new link', { skip: NO_TERMINAL }, async (t) => {
  const service = await sandbox(t);
  const { started, link } = await terminalLogin(t, service, await tempDir(t), LOGIN.join(' '));
  service.issuer.failNext('complete', 'user_code_expired');
  started.child.stdin?.write('abcd\n');
  await started.printed(/The code has expired; here is a new link\.\r\nOpen this page/);
  started.child.stdin?.write(`${await approveClaim(link, EMAIL)}\n`);
  await started.printed('left with 0');
});

test('Ctrl-C at the prompt for the code ends the sign-in', { skip: NO_TERMINAL }, async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { started } = await terminalLogin(t, service, dir, LOGIN.join(' '));
  await started.printed('Code: ');
  started.child.stdin?.write('\u0003');
  const { stdout } = await started.finished;
  assert.match(stdout, /interrupted \(SIGINT\)/);
  assert.deepEqual(storedIn(dir), []);
});

browserTest('signs in with --open and a browser that reads the code', { skip: NO_TERMINAL }, async (t) => {
  const browser = await browserFor(t);
  const { service, dir } = await sandboxAndFolder(t);
  // The browser that xdg-open starts.
  const script = '#!/bin/sh\nprintf %s "$1" > "$0.url"\n';
  await writeFile(join(dir, 'browser'), script, { mode: 0o755 });
  execFileSync('mkfifo', [join(dir, 'browser.url')]);
  const { started } = await terminalLogin(t, service, dir, `${LOGIN.join(' ')} --open`, {
    BROWSER: join(dir, 'browser'),
  });
  await started.printed('Code: ');
  const page = await browser.newPage();
  // A reader of the pipe blocks until it has a writer.
  await page.goto(await readFile(join(dir, 'browser.url'), 'utf8'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  const code = await page.getByLabel('Code', { exact: true }).innerText();
  started.child.stdin?.write(`${code}\n`);
  await started.printed('left with 0');
  started.child.stdin?.end();
  assert.equal(storedIn(dir).length, 1);
});
