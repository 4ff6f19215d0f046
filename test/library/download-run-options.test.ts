import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandName } from '../../src/cli/arguments/command.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { flagToSetting } from '../../src/commands/config/setting-names.js';
import {
  CONVERT_OPTIONS,
  COVERAGE_OPTIONS,
  DOWNLOAD_OPTIONS,
  PLAN_OPTIONS,
  REPLAY_OPTIONS,
  STREAM_OPTIONS,
  SYNC_OPTIONS,
  VERIFY_OPTIONS,
} from '../../src/library/option-tables.js';
import type { OptionTable } from '../../src/library/options-to-args.js';

const TABLES: Readonly<Record<string, OptionTable>> = {
  plan: PLAN_OPTIONS,
  download: DOWNLOAD_OPTIONS,
  sync: SYNC_OPTIONS,
  verify: VERIFY_OPTIONS,
  convert: CONVERT_OPTIONS,
  coverage: COVERAGE_OPTIONS,
  replay: REPLAY_OPTIONS,
  stream: STREAM_OPTIONS,
};
/** They say how a terminal shows things, or have nothing to say without one. */
const SHOWN = ['files', 'all', 'yes'];
/** Arguments of the command line that have a flag's option, or one of their own. */
const POSITIONAL: Readonly<Record<string, string>> = { path: 'paths', folder: 'dir' };

test('every flag and argument has an option of its long name, and docs/reference/library.md names it', async () => {
  const docs = await readFile(new URL('../../../docs/reference/library.md', import.meta.url), 'utf8');
  for (const [name, { kinds }] of Object.entries(TABLES)) {
    const outline = COMMANDS.find((command) => commandName(command) === name);
    const { flags = {}, positionals = {} } = (await outline?.load()) ?? {};
    const options = Object.keys(flags)
      .map((flag) => (Object.hasOwn(kinds, flag) ? flag : flagToSetting(flag)))
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
