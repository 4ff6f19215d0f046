import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { COMMAND_OPTIONS } from '../../src/options/command-options.js';
import { configJsonSchema, jobSchema } from '../../src/options/config-schema.js';
import { EXPORT_AFTER_OPTIONS } from '../../src/options/export-options.js';
import { toCamelCase } from '../../src/options/option-definition.js';
import { parseConfig } from '../../src/options/parse-config.js';
import { flagToSetting } from '../../src/options/setting-names.js';

const JOB = [
  'jobs:',
  '  - name: a',
  '    exchange: deribit',
  '    types: trades',
  '    symbols: [BTC]',
  '',
].join('\n');

/** Description, source, and expected error. */
const WRONG: readonly (readonly [string, string, RegExp])[] = [
  ['an empty file', '', /^c:1: expected settings and jobs, found nothing$/],
  ['broken YAML', 'dir: [\njobs: {', /^c:\d: \S/],
  ['a list', '- a\n', /^c:1: expected settings and jobs, found a list$/],
  ['a key twice', `dir: a\n${JOB}dir: b\n`, /^c:7: Map keys must be unique/],
  ['an unknown tag', `dir: !!odd a\n${JOB}`, /^c:1: Unresolved tag/],
  ['a second document', `${JOB}---\n${JOB}`, /^c:6: a second document begins here/],
  ['a number as a key', `${JOB}    5: x\n`, /^c:6: unknown key "5"/],
  ['a key that every object has', `${JOB}    toString: x\n`, /^c:6: unknown key "toString"; valid keys:/],
  [
    'a list of nothing',
    JOB.replace('[BTC]', '[]'),
    /^c:5: jobs\[0\]\.symbols: expected at least one, found an empty/,
  ],
  [
    'aliases without bounds',
    `dir: &a0 x\n${Array.from({ length: 9 }, (_, n) => `a${n}: &a${n + 1} [${`*a${n}, `.repeat(9)}]\n`).join('')}`,
    /^c:1: Excessive alias count/,
  ],
  ['an empty list of jobs', 'jobs: []\n', /^c:1: jobs: expected at least one job, found an empty list$/],
  [
    'an unknown key at the top',
    `\nlayuot: flat\n${JOB}`,
    /^c:2: unknown key "layuot"; did you mean layout\?$/,
  ],
  ['a key like no other', `zzz: 1\n${JOB}`, /^c:1: unknown key "zzz"; valid keys: .*dir, .*jobs$/],
  ['an unknown key in a job', `${JOB}    retrys: 5\n`, /^c:6: unknown key "retrys"; did you mean retries\?$/],
  [
    'a needed key that is misspelt',
    JOB.replace('types:', 'typos:'),
    /^c:\d+: unknown key "typos"; did you mean types\?$/,
  ],
  ['a key of the top in a job', `${JOB}    dir: a\n`, /^c:6: unknown key "dir"; it belongs to the top$/],
  [
    'a key of a job at the top',
    `from: 2024-03-01\n${JOB}`,
    /^c:1: unknown key "from"; it belongs into a job$/,
  ],
  ['a missing key', 'jobs:\n  - name: a\n    exchange: b\n', /^c:2: jobs\[0\]\.types is missing/],
  [
    'a wrong type',
    `${JOB}    retries: [1]\n`,
    /^c:6: jobs\[0\]\.retries: expected a whole number, found a list$/,
  ],
  ['a wrong choice', `${JOB}    existing: skp\n`, /^c:6: .* found "skp"; did you mean skip\?$/],
  ['two jobs of one name', `${JOB}${JOB.slice(6)}`, /^c:6: two jobs are named "a"; the other is in line 2$/],
  ['an alias of nothing', `dir: *none\n${JOB}`, /^c:1: Unresolved alias/],
];

for (const [what, source, message] of WRONG) {
  test(`${what} is a usage error with the line`, () => {
    assert.throws(() => parseConfig(source, 'c'), { code: 'usage', message });
  });
}

test('refuses a key in the file, without showing it', () => {
  for (const name of ['apiKey', 'api_key', 'token']) {
    assert.throws(
      () => parseConfig(`${name}: TD.secret\n${JOB}`, 'c'),
      ({ message }: Error) => /^c:1: .*TICKHAUL_API_KEY/.test(message) && !message.includes('secret'),
    );
  }
});

test('accepts JSON, keeps days as text, and merges shared settings with <<', () => {
  const json = '{"dir": "d", "jobs": [{"name": "a", "exchange": "b", "types": "all", "symbols": ["X"]}]}';
  assert.equal(parseConfig(json, 'c').config.dir, 'd');
  const merged = `jobs:\n  - &one {name: a, exchange: b, types: trades, symbols: X, from: 2024-03-01}\n  - {<<: *one, name: b}\n`;
  const { config, place } = parseConfig(merged, 'c');
  assert.deepEqual(config.jobs?.[1], { ...config.jobs?.[0], name: 'b' });
  assert.equal(config.jobs?.[1]?.from, '2024-03-01');
  assert.equal(place(['jobs', 1, 'from']), 'c:3', 'what was merged has the place of its job');
});

test('hundreds of jobs may use one anchor', () => {
  const first = '  - &one {name: a, exchange: b, types: &types [trades], symbols: X, last: 1d}\n';
  const others = Array.from(
    { length: 300 },
    (_, n) =>
      `  - {<<: *one, name: merged${n}}\n  - {name: alias${n}, exchange: b, types: *types, symbols: X}\n`,
  );
  const { config } = parseConfig(`jobs:\n${first}${others.join('')}`, 'c');
  assert.deepEqual(config.jobs?.at(-1)?.types, ['trades']);
});

test('the published JSON Schema is current, and accepts the same files as the parser', async () => {
  const path = new URL('../../../docs/tickhaul.schema.json', import.meta.url);
  const shipped = JSON.parse(await readFile(path, 'utf8')) as object;
  assert.deepEqual(shipped, configJsonSchema(), 'npm run schema writes it again');
  const check = new Ajv2020({ strict: false }).compile(shipped);
  const job = { name: 'a', exchange: 'b', types: ['trades'], symbols: 'X', last: '7d', maxRate: '20MB' };
  assert.ok(check({ dir: 'd', concurrency: 4, jobs: [job] }));
  assert.ok(!check({ jobs: [{ ...job, retrys: 1 }] }));
  assert.ok(!check({ jobs: [{ ...job, existing: 'skp' }] }));
});

/** Flags that select jobs, answer a question on a terminal, or identify this machine are not settings. */
const COMMAND_ONLY_FLAGS = ['job', 'yes', 'shard', 'dryRun', 'files'];

test('each flag of sync is a setting, with its name in camelCase', () => {
  const { properties } = configJsonSchema() as { properties: Record<string, unknown> };
  const flags = Object.keys(COMMAND_OPTIONS.sync);
  const lacking = flags
    .map(flagToSetting)
    .filter((key) => !COMMAND_ONLY_FLAGS.includes(key) && !(key in properties));
  assert.deepEqual(lacking, []);
});

test('each flag of an export is a setting of a job, with its name in camelCase', () => {
  const lacking = Object.keys(EXPORT_AFTER_OPTIONS).filter((flag) => !(toCamelCase(flag) in jobSchema.shape));
  assert.deepEqual(lacking, []);
});
