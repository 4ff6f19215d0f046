import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDay } from '../../../src/day-files/day.js';
import { DAY_FILE_EXTENSION, parseDayFileName } from '../../../src/day-files/day-file.js';
import { createShardTest } from '../../../src/day-files/shard.js';
import { COMMAND_OPTIONS } from '../../../src/options/command-options.js';
import { JOB_OPTIONS } from '../../../src/options/config-schema.js';
import { FILTER_OPTIONS } from '../../../src/options/day-file-options.js';
import { flagToSetting } from '../../../src/options/setting-names.js';
import { envOf, type Finished, jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

/** Flags of selections, with values, and the files that they select. The list has two days and a comment. */
const CASES: readonly (readonly [
  flag: string,
  value: string | undefined,
  selects: (name: string) => boolean,
])[] = [
  ['type', 'quotes', (name) => name.includes('_quotes_')],
  ['symbol', 'btc/perpetual', (name) => name.includes('BTC-PERPETUAL')],
  ['symbol', '*-C', (name) => name.includes('-100000-C')],
  ['type', 'Quotes', (name) => name.includes('_quotes_')],
  ['symbol-type', 'Option', (name) => name.includes('-100000-C')],
  ['exchange', 'coinbase', (name) => name.startsWith('coinbase_')],
  ['from', '2024-03-03', (name) => /-0[34]_/.test(name)],
  ['to', '2024-03-02', (name) => name.includes('-01_')],
  ['date', '2024-03-01,2024-03-03', (name) => /-0[13]_/.test(name)],
  ['date', '@days.txt', (name) => /-0[24]_/.test(name)],
  ['days', '2024-03-04', (name) => name.includes('-04_')],
  ['last', '8d', (name) => /-0[234]_/.test(name)],
  ['weekdays', 'sat-sun', (name) => /-0[23]_/.test(name)],
  ['free', undefined, (name) => name.includes('-01_')],
  ['shard', '1/3', (name) => createShardTest({ index: 1, count: 3 })(parseDayFileName(name))],
];

const SELECTED: readonly (readonly [exchange: string, symbols: string, to: string])[] = [
  ['deribit', 'BTC-PERPETUAL,BTC-27DEC24-100000-C', '2024-03-05'],
  ['coinbase', 'BTC-USD', '2024-03-03'],
];
const DAY_FLAGS = ['from', 'date', 'days', 'last'];

interface Place {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of the day files. */
  readonly names: readonly string[];
  run(...words: readonly string[]): Promise<Finished>;
}

async function downloadFolder(t: TestContext): Promise<Place> {
  const service = await sandbox(t, { rows: 20 });
  const dir = join(await tempDir(t), 'data');
  await mkdir(dir);
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: dir };
  await writeFile(join(dir, 'days.txt'), '# odd\n2024-03-02\n\n 2024-03-04 \n');
  const run: Place['run'] = async (...words) => {
    const ended = await runHere(
      words.map((word) => word.replace('@', `@${dir}/`)),
      { env },
    );
    assert.equal(ended.exitCode, 0, `${words.join(' ')}: ${ended.stderr}`);
    return ended;
  };
  const names: string[] = [];
  for (const [exchange, symbols, to] of SELECTED) {
    const words = ['-t', 'trades,quotes', '-s', symbols, '--from', '2024-03-01', '--to', to];
    const ended = await run('download', exchange, ...words, '--json');
    names.push(...filesOf(ended, 'path'));
  }
  assert.equal(names.length, 20);
  return { dir, env, names, run };
}

/** Names of the day files that `file` or `day` events have. */
function filesOf(ended: Finished, field: 'path' | 'source'): readonly string[] {
  const lines = jsonLines(ended).filter(({ event }) => event === 'file' || event === 'day');
  return lines.flatMap((line) => (line[field] === null ? [] : basename(String(line[field]))));
}

/** How each command tells what it selects. */
type Ask = (place: Place, words: readonly string[]) => Promise<readonly string[]>;

const READERS: Readonly<Record<string, Ask>> = {
  verify: async ({ run }, words) => filesOf(await run('verify', '--quick', '--json', ...words), 'path'),
  audit: async ({ run }, words) => filesOf(await run('audit', '--json', ...words), 'path'),
  convert: async ({ run, dir }, words) =>
    filesOf(await run('convert', dir, '-f', 'ndjson', '--json', '-o', `${dir}-out`, ...words), 'source'),
  export: async ({ run, dir }, words) => {
    const target = ['export', 'nautilus', dir, '--price-precision', '8', '--size-precision', '8'];
    return filesOf(await run(...target, '--json', '-o', `${dir}-out`, ...words), 'source');
  },
  lock: async ({ run, dir }, words) => {
    const list = join(dir, 'tickhaul.lock');
    await run('lock', '-o', list, ...words);
    return (await readFile(list, 'utf8')).split('\n').flatMap((line) => {
      const { path } = line === '' ? {} : JSON.parse(line);
      return path ?? [];
    });
  },
  views: async ({ run, names }, words) => {
    const { stdout } = await run('views', ...words);
    return names.filter((name) => {
      const patterns = [...stdout.matchAll(/'([^']*\.csv\.gz)'/g)].map(([, path = '']) => basename(path));
      return patterns.some((pattern) => toExpression(pattern).test(name));
    });
  },
  coverage: async ({ run, names }, words) => {
    const { series } = JSON.parse((await run('coverage', '--json', ...words)).stdout);
    return names.filter((name) =>
      series.some(
        ({ exchange, dataType, symbol, from, to }: Readonly<Record<string, string>>) =>
          name.startsWith(`${exchange}_${dataType}_`) &&
          name.endsWith(`_${symbol}${DAY_FILE_EXTENSION}`) &&
          dayOf(name) >= parseDay(from ?? '') &&
          dayOf(name) < parseDay(to ?? ''),
      ),
    );
  },
};

function dayOf(name: string): number {
  return parseDayFileName(name)?.day ?? assert.fail(name);
}

function toExpression(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`);
}

test('each flag of a selection selects the same files in every command that reads a folder', async (t) => {
  const place = await downloadFolder(t);
  for (const [flag, value, selects] of CASES) {
    const expected = place.names.filter(selects).sort();
    assert.ok(expected.length > 0 && expected.length < place.names.length, flag);
    const words = value === undefined ? [`--${flag}`] : [`--${flag}`, value];
    for (const [command, ask] of Object.entries(READERS)) {
      const found = [...(await ask(place, words))].sort();
      // Coverage has series from day to day, so that it tells no single days; its totals do.
      if (command === 'coverage') {
        const { totals } = JSON.parse((await place.run('coverage', '--json', ...words)).stdout);
        assert.equal(totals.present, expected.length, `coverage ${words.join(' ')}`);
        assert.ok(
          expected.every((name) => found.includes(name)),
          `coverage ${words.join(' ')}`,
        );
      } else assert.deepEqual(found, expected, `${command} ${words.join(' ')}`);
    }
  }
});

test('each flag of a selection plans the same files in plan, download, a job of sync and replay', async (t) => {
  const place = await downloadFolder(t);
  const here = new Set(place.names);
  for (const [flag, value, selects] of CASES) {
    if (flag === 'exchange') continue;
    for (const [exchange, symbols, to] of SELECTED) {
      const expected = place.names.filter((name) => name.startsWith(exchange) && selects(name)).sort();
      if (expected.length === 0) continue;
      const days = DAY_FLAGS.includes(flag) ? {} : { from: '2024-03-01', to };
      const flags: Record<string, string | true> = { type: 'trades,quotes', symbol: symbols, ...days };
      flags[flag] = value ?? true;
      const words = toWords(flags);
      const planned = filesOf(await place.run('plan', exchange, '--json', ...words), 'path');
      assert.deepEqual(planned.filter((name) => here.has(name)).sort(), expected, words.join(' '));
      const dry = await place.run('download', exchange, '--dry-run', '--json', ...words);
      assert.deepEqual(filesOf(dry, 'path'), planned, `download ${words.join(' ')}`);
      // Neither a job nor a replay has shards.
      if (flag === 'shard') continue;
      assert.deepEqual(await planSync(place, exchange, flags), planned, `sync ${words.join(' ')}`);
      if (flag === 'type') continue;
      const ofExchange = new Set(place.names.filter((name) => name.startsWith(exchange)).map(dayOf));
      const replayed = (await replayDays(place, exchange, flags)).filter((day) => ofExchange.has(day));
      assert.deepEqual(replayed, [...new Set(expected.map(dayOf))].sort(), `replay ${words.join(' ')}`);
    }
  }
});

function toWords(flags: Readonly<Record<string, string | true>>): readonly string[] {
  return Object.entries(flags).flatMap(([flag, value]) =>
    value === true ? [`--${flag}`] : [`--${flag}`, value],
  );
}

async function planSync(
  { dir, run }: Place,
  exchange: string,
  flags: Readonly<Record<string, string | true>>,
): Promise<readonly string[]> {
  const job = Object.fromEntries(Object.entries(flags).map(([flag, value]) => [flagToSetting(flag), value]));
  const config = join(dir, 'jobs.yaml');
  await writeFile(config, JSON.stringify({ jobs: [{ name: 'job', exchange, ...job }] }));
  return filesOf(await run('sync', '--dry-run', '--json', '--config', config), 'path');
}

/** The days of the trades that a replay has. */
async function replayDays(
  { run }: Place,
  exchange: string,
  { type: _, shard: __, ...flags }: Readonly<Record<string, string | true>>,
): Promise<readonly number[]> {
  const words =
    flags['last'] === undefined && flags['from'] && !flags['to'] ? { ...flags, to: '2024-03-05' } : flags;
  const { stdout } = await run('replay', exchange, '-t', 'trades', ...toWords(words));
  const days = stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : String(JSON.parse(line).localTimestamp)));
  return [...new Set(days.map((time) => parseDay(time.slice(0, 10))))];
}

const PAGE = readFileSync(
  fileURLToPath(new URL('../../../../docs/reference/selection.md', import.meta.url)),
  'utf8',
);

test('every command of the page has every flag that its row names', () => {
  const [, table = ''] = PAGE.split('## Commands');
  const [section = ''] = table.split('## Days');
  const rows = [...section.matchAll(/^\| `.*$/gm)];
  const groups: Readonly<Record<string, object>> = { ...COMMAND_OPTIONS, jobs: JOB_OPTIONS };
  const flags = Object.keys(FILTER_OPTIONS);
  const checked = new Set<string>();
  for (const [row] of rows) {
    const [, commands = '', ...cells] = row.split('|').map((cell) => cell.trim());
    for (const [, command = ''] of commands.matchAll(/`([a-z]+)`/g)) {
      checked.add(command);
      for (const [index, flag] of flags.entries()) {
        const has = flag in (groups[command] ?? {}) || (command === 'jobs' && flag === 'exchange');
        assert.equal(has, cells[index] !== '', `${command} --${flag}`);
      }
    }
  }
  const commands = 'plan download enqueue jobs verify audit coverage lock convert export views replay';
  assert.deepEqual([...checked].sort(), commands.split(' ').sort());
});

test('a selection of nothing names the flag that excludes everything, and what there is', async (t) => {
  const { dir, env } = await downloadFolder(t);
  await writeFile(join(dir, 'bad.txt'), '2024-03-01\n# a comment\n2024-13\n');
  const bad = join(dir, 'bad.txt');
  const wrong: readonly (readonly [words: readonly string[], exitCode: number, message: RegExp])[] = [
    [['-s', 'BTC-USB'], 2, /--symbol: there is no day file of symbol "BTC-USB"; did you mean BTC-USD\?/],
    [['-t', 'zz'], 2, /--type: there is no day file of data type "zz"; there are quotes, trades/],
    [
      ['--exchange', 'deribit', '-s', 'btc-usd'],
      2,
      /--symbol btc-usd: no day file of --exchange deribit has this symbol; there are BTC-27DEC24-100000-C, BTC-PERPETUAL/,
    ],
    [['--symbol-type', 'future'], 2, /--symbol-type: .*"future"; there are option, perpetual, spot/],
    [['--from', '2025-01-01'], 7, /--from: no day file .* there are days from 2024-03-01 to 2024-03-04/],
    [['--date', '2024-03-02', '--free'], 2, /--free: none of these days in 2024-03-02/],
    [['--days', `@${bad}`], 2, /--days: .*bad\.txt:3: "2024-13"/],
    [['--date', '2024-03-01', '--last', '2'], 2, /use only one of: --date, or --last/],
  ];
  const commands: readonly (readonly string[])[] = [
    ['verify', '--quick'],
    ['audit'],
    ['coverage'],
    ['lock'],
    ['views'],
    ['convert', '-d', dir, '-o', `${dir}-nothing`],
    [
      'export',
      'nautilus',
      '-d',
      dir,
      '-o',
      `${dir}-nothing`,
      '--price-precision',
      '8',
      '--size-precision',
      '8',
    ],
  ];
  for (const command of commands) {
    for (const [words, exitCode, message] of wrong) {
      const ended = await runHere([...command, ...words], { env });
      assert.match(ended.stderr, message, [...command, ...words].join(' '));
      assert.equal(ended.exitCode, exitCode, [...command, ...words].join(' '));
    }
  }
});

test('offline, a selection by symbol type or last days needs a stored record', async (t) => {
  const { env, dir } = await downloadFolder(t);
  const offline = { env: { ...env, XDG_CACHE_HOME: `${dir}-empty` } };
  for (const words of [
    ['--symbol-type', 'spot'],
    ['--last', '2'],
  ]) {
    const { exitCode, stderr } = await runHere(['audit', '--offline', ...words], offline);
    assert.equal(exitCode, 7, stderr);
    assert.match(stderr, new RegExp(`${words[0]}: .*no stored copy exists; run once without --offline`));
  }
});
