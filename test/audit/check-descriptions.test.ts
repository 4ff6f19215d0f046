import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
  CHECK_DESCRIPTIONS,
  describeReasons,
  REASON_DESCRIPTIONS,
} from '../../src/audit/check-descriptions.js';
import { CONTENT_CHECKS } from '../../src/audit/content-checks.js';
import { runHere } from '../helpers/in-process.js';

test('every check has a description, in the order of the checks, and so has its page', async () => {
  assert.deepEqual(
    Object.keys(CHECK_DESCRIPTIONS),
    CONTENT_CHECKS.map(({ name }) => name),
  );
  const page = await readFile(new URL('../../../docs/reference/audit-checks.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| \[`(\w+)`\]\(#[\w-]+\) \| [^|]+ \| ([^|]+) \| (yes|no) \|$/gm);
  assert.deepEqual(
    [...rows].map(([, name, description, degrades]) => [name, description, degrades]),
    CONTENT_CHECKS.map(({ name, degrades }) => [name, CHECK_DESCRIPTIONS[name], degrades ? 'yes' : 'no']),
  );
});

test('descriptions are those of the names that are shown, in the order of the checks', () => {
  assert.deepEqual(
    describeReasons(['incident', 'crossed', 'gap', 'unknown', 'gap']).map(([name]) => name),
    ['gap', 'crossed', 'incident'],
  );
});

test('the help of audit explains the checks', async () => {
  const { stdout } = await runHere(['help', 'audit']);
  for (const [name, description] of REASON_DESCRIPTIONS)
    assert.match(stdout, new RegExp(`^  ${name} +${description}$`, 'm'));
  const { terms } = JSON.parse((await runHere(['help', 'audit', '--json'])).stdout) as { terms: unknown };
  assert.deepEqual(terms, { heading: 'Checks', meanings: REASON_DESCRIPTIONS });
});
