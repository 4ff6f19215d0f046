import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { approveClaim } from '../../helpers/claim-page.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { failedWith, jsonLines, start } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { accountEnv, EMAIL, LOGIN, linkOf, storedIn } from './account-helpers.js';

const refusal = (code: string, message: string) => ({ status: 400, body: JSON.stringify({ code, message }) });

test('reports a refused code and the next step without a terminal, as text and as JSON', async (t) => {
  const service = await sandbox(t);
  const env = accountEnv(service, await tempDir(t));
  const wrong = /the code is wrong \(invalid_user_code: "no such code"\)/;
  const login = async (...more: string[]) => {
    service.issuer.answerNext('complete', refusal('invalid_user_code', 'no such code'));
    return runHere([...LOGIN, ...more], { env, stdin: 'abcd-efgh\n' });
  };

  for (const quiet of [[], ['--quiet']]) {
    const text = await failedWith(login(...quiet), 4, /It shows a code: write it as a line to stdin\.\n/);
    assert.match(text.stderr, new RegExp(`${wrong.source}: write the correct one as a line to stdin\n`));
    assert.match(
      text.stderr,
      /tickhaul: the code was wrong, and no other code was given: stdin has ended; .* --code-file\n$/,
    );
  }

  const events = jsonLines(await login('--json'));
  const asked = events.filter(({ event, reason }) => event === 'code' && reason === 'wrong');
  assert.equal(asked.length, 1);
  assert.match(String(asked[0]?.['message']), wrong);
});

test('reports an organization to choose, and a wrong code in a file, which is read again after a rewrite', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const file = join(dir, 'code.txt');
  const started = start([...LOGIN, '--code-file', file], { env: accountEnv(service, dir) });
  cleanUp(t, () => killAndWait(started.child));
  const code = await approveClaim(await linkOf(started), EMAIL);
  await started.printed(`It shows a code: write it to ${file}.`);
  await writeFile(file, 'abcd-efgh\n');
  await started.printed(
    /the code is wrong \(invalid_user_code: ".*"\): write the correct one to \S+code\.txt\n/,
  );
  service.issuer.failNext('complete', 'organization_selection_required');
  await writeFile(file, `${code}\n`);
  await started.printed(
    /an organization must be selected on the page \(.*\): select it there, then write the code of the page, even if it has not changed, to \S+code\.txt\n/,
  );
  await writeFile(file, `${code}\n`);
  const { exitCode, stderr } = await started.finished;
  assert.equal(exitCode, 0, stderr);
});

for (const [typed, echoed] of [
  ['AB-12', 'AB-12, that is AB12, ab12 or "Ab 12"'],
  ['abcd-efgh-ijkl', 'abcd-efgh-ijkl, ABCDEFGHIJKL, abcd efgh ijkl'],
  ['7', '7 (code=7)'],
] as const) {
  test(`does not print the code ${typed} that an issuer echoes`, async (t) => {
    const { service, dir } = await sandboxAndFolder(t);
    const outputs: string[] = [];
    for (const more of [['--json'], ['--verbose']]) {
      service.issuer.answerNext(
        'complete',
        refusal('invalid_user_code', `wrong: ${echoed}`),
        refusal('odd', `wrong: ${echoed}`),
      );
      const done = await runHere([...LOGIN, ...more], {
        env: accountEnv(service, dir),
        stdin: `${typed}\n${typed}\n`,
      });
      assert.equal(done.exitCode, 3, done.stderr);
      const reported = `${done.stdout}\n${done.stderr}`;
      assert.match(reported, /odd\): \\?"wrong: \*\*\*/);
      // Digits also occur in addresses and times, and random ids may contain the letters of a code.
      const reports = /(?<![\w-])(?:odd|invalid_user_code)(?![\w-])/;
      outputs.push(...reported.split('\n').filter((line) => reports.test(line)));
    }
    const letters = [...typed.replaceAll('-', '')].join('[-\\s]?');
    const shown = new RegExp(`(?<![\\w.])${letters}(?![\\w.])`, 'i');
    for (const line of outputs) {
      const quotes = [...line.matchAll(/wrong: (.*?)\\?"/g)].map(([, quote]) => quote ?? '');
      assert.ok(quotes.length > 0 && quotes.every((quote) => !shown.test(quote)), line);
    }
    assert.deepEqual(storedIn(dir), []);
  });
}
