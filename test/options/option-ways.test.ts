import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../../src/cli/arguments/parse-command-line.js';
import { COMMANDS } from '../../src/cli/commands/command-list.js';
import { OPTION_TABLES, type OptionTable, optionsToArgs } from '../../src/library/options-to-args.js';
import { toConfigSettings } from '../../src/operations/load-config.js';
import { readSettings, type Settings } from '../../src/operations/settings.js';
import { readRunOptions } from '../../src/operations/sync.js';
import { COMMAND_OPTIONS } from '../../src/options/command-options.js';
import { CONFIG_OPTIONS } from '../../src/options/config-schema.js';
import {
  type OptionDefinition,
  type OptionGroup,
  type OptionType,
  settingNameOf,
} from '../../src/options/option-definition.js';
import { optionsInScope, valueNameOf } from '../../src/options/option-values.js';
import { parseConfig } from '../../src/options/parse-config.js';
import { readCommandOptions, readOptions } from '../../src/options/read-options.js';
import { SETTING_OPTIONS } from '../../src/options/service-options.js';

/** Values other than any default, by type of option. */
const SAMPLES: Readonly<Record<OptionType, string | true | readonly string[]>> = {
  flag: true,
  text: 'text',
  choice: 'text',
  list: 'one,two',
  'lower-case-list': 'one,two',
  'data-types': 'one,two',
  'message-types': 'one,two',
  'computed-types': 'one,two',
  texts: ['deribit:A,B'],
  paths: ['one', 'two'],
  folders: ['one', 'two'],
  count: '3',
  decimals: '3',
  concurrency: '5',
  day: '2024-03-01',
  'single-day': '2024-03-01',
  'day-list': '2024-03,2024-04-01',
  time: '2024-03-01T12:00',
  days: '2d',
  duration: '7s',
  timer: '7s',
  size: '5MB',
  rate: '5MB',
  rows: '64k',
  ratio: '0.2',
  speed: '2',
  file: '/some/file',
  folder: '/some/folder',
  layout: 'hive',
  shard: '1/2',
  'data-type': 'quotes',
  signal: 'not a text',
};

function sampleOf({ type, choices, default: usual }: OptionDefinition): string | true | readonly string[] {
  return choices?.find((choice) => choice !== usual) ?? SAMPLES[type];
}

const commandNamed = (name: string) => COMMANDS.find(({ syntax }) => syntax.split(' ', 1)[0] === name);

/** The value that a command gets from its words. */
async function byWords(name: string, group: OptionGroup, flag: string): Promise<unknown> {
  const { syntax = '' } = commandNamed(name) ?? {};
  const option = group[flag] ?? assert.fail(flag);
  const sample = sampleOf(option);
  const named = [...syntax.matchAll(/([<[])(\w+)/g)];
  const last = named.findIndex(([, , word]) => word === flag);
  const words = named.flatMap(([, bracket, word = ''], at) => {
    const argument = group[word];
    if (argument === undefined) return bracket === '<' ? ['status'] : [];
    // Optional arguments before the one are needed, too.
    return bracket === '<' || at <= last ? [sampleOf(argument)].flat().map(String) : [];
  });
  const flags = sample === true ? [`--${flag}`] : [`--${flag}=${[sample].flat().join(',')}`];
  const parsed = await parseCommandLine(COMMANDS, [name, ...words, ...(option.positional ? [] : flags)], 80);
  assert.equal(parsed.kind, 'run');
  return readValue(readCommandOptions(group, parsed.args), flag, option);
}

/** The value that a function of the library gets from its options. */
function byLibrary({ options }: OptionTable, group: OptionGroup, flag: string): unknown {
  const option = group[flag] ?? assert.fail(flag);
  const args = optionsToArgs({ options }, { [settingNameOf(flag, option)]: sampleOf(option) });
  return readValue(readCommandOptions(group, args, settingNameOf), flag, option);
}

function readValue(values: object, flag: string, option: OptionDefinition): unknown {
  return (values as Readonly<Record<string, unknown>>)[valueNameOf(flag, option)];
}

const NONE = readOptions({}, {});

for (const [name, group] of Object.entries<OptionGroup>(COMMAND_OPTIONS)) {
  test(`${name}: every option arrives by flag, setting and library, with the same value`, async () => {
    const table: OptionTable | undefined = (OPTION_TABLES as Readonly<Record<string, OptionTable>>)[name];
    const absent = readCommandOptions(group, {});
    for (const [flag, option] of Object.entries(group)) {
      const value = await byWords(name, group, flag);
      assert.notDeepEqual(value, readValue(absent, flag, option), `--${flag} is dropped`);
      if (table?.options.has(settingNameOf(flag, option)))
        assert.deepEqual(byLibrary(table, group, flag), value, `${name}({ ${settingNameOf(flag, option)} })`);
      if (name !== 'sync' || !(flag in CONFIG_OPTIONS)) continue;
      const config = { [settingNameOf(flag, option)]: sampleOf(option), jobs: [JOB] };
      const file = parseConfig(JSON.stringify(config), 'tickhaul.json');
      assert.deepEqual(readValue(readRunOptions(group, file, NONE), flag, option), value, `setting ${flag}`);
    }
  });
}

const JOB = { name: 'job', exchange: 'deribit', types: 'trades', symbols: 'A', last: 1 };

test('every setting of service, folder and store arrives by flag and setting, with the same value', () => {
  const absent = JSON.stringify(readSettings({}, NONE, '/home/me'));
  const inFile = Object.entries<OptionDefinition>(optionsInScope('config', SETTING_OPTIONS)).filter(
    ([flag]) => flag in CONFIG_OPTIONS,
  );
  assert.ok(inFile.length >= 8);
  for (const [flag, option] of inFile) {
    const sample = flag.endsWith('-url') ? 'https://host' : sampleOf(option);
    const flags = readSettings({}, readOptions(SETTING_OPTIONS, { [flag]: sample }), '/home/me');
    const file = parseConfig(JSON.stringify({ [settingNameOf(flag, option)]: sample }), '/etc/tickhaul.json');
    const settings = readSettings({}, NONE, '/home/me', toConfigSettings(file, '/home/me'));
    assert.deepEqual(withoutName(settings), withoutName(flags), flag);
    assert.notEqual(JSON.stringify(flags), absent, `--${flag} is dropped`);
  }
});

/** The source of a key is named by where it was given. */
function withoutName({ keySource, ...settings }: Settings): object {
  return { ...settings, key: keySource && { ...keySource, name: '' } };
}
