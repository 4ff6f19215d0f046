import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nameOf } from '../../src/cli/arguments/types.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { keyOf } from '../../src/commands/config/words.js';
import type { OptionTable } from '../../src/library/arguments.js';
import { CONVERT, COVERAGE, DOWNLOAD, PLAN, REPLAY, STREAM, SYNC, VERIFY } from '../../src/library/tables.js';

const TABLES: Readonly<Record<string, OptionTable>> = {
  plan: PLAN,
  download: DOWNLOAD,
  sync: SYNC,
  verify: VERIFY,
  convert: CONVERT,
  coverage: COVERAGE,
  replay: REPLAY,
  stream: STREAM,
};
/** They say how a terminal shows things, or have nothing to say without one. */
const SHOWN = ['files', 'all', 'yes'];
/** Arguments of the command line that have a flag's option, or one of their own. */
const POSITIONAL: Readonly<Record<string, string>> = { path: 'paths', folder: 'dir' };

test('every flag and argument has an option of its long name, and docs/reference/library.md names it', async () => {
  const docs = await readFile(new URL('../../../docs/reference/library.md', import.meta.url), 'utf8');
  for (const [name, { kinds }] of Object.entries(TABLES)) {
    const outline = COMMANDS.find((command) => nameOf(command) === name);
    const { flags = {}, positionals = {} } = (await outline?.load()) ?? {};
    const options = Object.keys(flags)
      .map((flag) => (Object.hasOwn(kinds, flag) ? flag : keyOf(flag)))
      .concat(Object.keys(positionals).map((positional) => POSITIONAL[positional] ?? positional));
    const lacking = options.filter((option) => !SHOWN.includes(option) && !(option in kinds));
    assert.deepEqual(lacking, [], name);
    assert.deepEqual(
      Object.keys(kinds).filter((option) => !docs.includes(`\`${option}\``)),
      [],
      name,
    );
  }
});
