import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatDay } from '../../src/day-files/day.js';
import type { DownloadSettings, Selection } from '../../src/download/download-options.js';
import type { DownloadPlan } from '../../src/download/plan/create-download-plan.js';
import { createPin, formatPin } from '../../src/download/plan/pinned-plan.js';
import {
  createSeriesReader,
  parseSliceJob,
  toDownloadOptions,
  toSharedSliceData,
  toSliceDays,
} from '../../src/fleet/slice-job.js';
import { planSlice } from '../../src/fleet/slice-work.js';
import { type CommandHost, readProcessHost } from '../../src/operations/command-host.js';
import { type Context, createLockOwner, withContext } from '../../src/operations/context.js';
import type { CommandArgs } from '../../src/operations/expand-home.js';
import {
  createDownloadSettings,
  type OpenedTarget,
  openDownloadTarget,
  readDownloadTarget,
} from '../../src/operations/selection/download-target.js';
import { countConversionThreads } from '../../src/operations/selection/read-conversion-options.js';
import { readSyncJobs } from '../../src/operations/sync.js';
import { COMMAND_OPTIONS } from '../../src/options/command-options.js';
import {
  ARRIVAL_OPTIONS,
  ENCODING_OPTIONS,
  EXCHANGE_ARGUMENT,
  PLAN_DOWNLOAD_OPTIONS,
  PLAN_SELECTION_OPTIONS,
} from '../../src/options/day-file-options.js';
import type { OptionDefinition, OptionGroup, OptionType } from '../../src/options/option-definition.js';
import { valueNameOf } from '../../src/options/option-values.js';
import { parseConfig } from '../../src/options/parse-config.js';
import { readCommandOptions, readOptions } from '../../src/options/read-options.js';
import { flagToSetting } from '../../src/options/setting-names.js';
import type { ExchangeRecord } from '../../src/service/records/fetch-records.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { openJobs } from '../../src/sync/open-jobs.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';

const SELECTED = { exchange: 'binance-futures', type: 'quotes', symbol: 'ETHUSDT' };
const DAY = '2024-03-01';
const DAY_FLAGS = ['from', 'to', 'date', 'days', 'last', 'free'];

/** Values other than the defaults, by type of option. */
const SAMPLES: Readonly<Partial<Record<OptionType, string | true>>> = {
  flag: true,
  text: 'text',
  list: 'one',
  count: '3',
  concurrency: '5',
  day: DAY,
  'day-list': DAY,
  days: '2',
  duration: '7s',
  timer: '7s',
  rate: '5MB',
  size: '5MB',
  rows: '64k',
  layout: 'hive',
  shard: '0/2',
};
/** Values of options that take only certain words, or whose last choice is the default. */
const WORDS: Readonly<Record<string, string>> = {
  type: 'trades',
  symbol: 'BTCUSDT',
  'symbol-type': 'perpetual',
  weekdays: 'mon-sun',
  as: 'trade_bar_1m',
  compression: 'gzip',
  times: 'int',
};

function sampleOf(flag: string, { type, choices }: OptionDefinition): string | true {
  const sample = WORDS[flag] ?? choices?.at(-1) ?? SAMPLES[type];
  assert.ok(sample !== undefined, `--${flag}: add a value of the type ${type}`);
  return sample;
}

/** An option that belongs to a plan, with a value of it among the arguments of a download. */
interface Case {
  readonly flag: string;
  readonly option: OptionDefinition;
  readonly args: CommandArgs;
  /** Arguments without the option. */
  readonly base: CommandArgs;
}

function casesOf(options: OptionGroup, base: CommandArgs): readonly Case[] {
  return Object.entries(options).map(([flag, option]) => {
    const selected = { ...base, date: '2024-03-02' };
    const others = DAY_FLAGS.includes(flag)
      ? { ...base, ...(flag === 'to' && { from: '2024-02-01' }) }
      : selected;
    return { flag, option, base: selected, args: { ...others, [flag]: sampleOf(flag, option) } };
  });
}

const DOWNLOAD_CASES = [
  ...casesOf(PLAN_DOWNLOAD_OPTIONS, SELECTED),
  ...casesOf(
    { ...ARRIVAL_OPTIONS, ...ENCODING_OPTIONS },
    { ...SELECTED, convert: 'parquet', as: 'trade_bar_5m' },
  ),
];
const SELECTION_CASES = casesOf(PLAN_SELECTION_OPTIONS, SELECTED);

/** A plan, or the part of it that was planned with the options. */
interface Planned {
  readonly selection?: Selection;
  readonly options: DownloadSettings;
}

/** Plans on each way with the same arguments, against an embedded service. */
class Ways {
  readonly #context: Context;
  readonly #destination: Destination;
  readonly #dir: string;

  constructor(context: Context, dir: string) {
    this.#context = context;
    this.#destination = openFolderDestination(dir);
    this.#dir = dir;
  }

  async download(args: CommandArgs): Promise<OpenedTarget> {
    const { signal } = this.#context;
    const options = readOptions(COMMAND_OPTIONS.download, args);
    const target = await readDownloadTarget(options, this.#context, 'download');
    const opened = await openDownloadTarget(target, {
      client: await this.#context.client(),
      destination: this.#destination,
      options: createDownloadSettings(target, options),
      emit: () => {},
      signal,
    });
    await opened.manifest.close();
    return opened;
  }

  async list(args: CommandArgs): Promise<Planned> {
    const path = join(this.#dir, 'list.jsonl');
    const file = { exchange: 'binance-futures', dataType: 'quotes', symbol: 'ETHUSDT', date: DAY };
    await writeFile(path, `${JSON.stringify(file)}\n`);
    const { plan } = await this.download({ ...withoutSelection(args), 'from-file': path });
    return plan;
  }

  async pinned(args: CommandArgs): Promise<Planned> {
    const path = join(this.#dir, 'plan.json');
    await writeFile(path, await this.#pin(args));
    const { plan } = await this.download({ ...withoutSelection(args), pinned: path });
    return plan;
  }

  async queue(args: CommandArgs): Promise<Planned> {
    const { plan, record } = await this.#plan(args);
    const [{ dataType, symbol } = assert.fail('no series')] = plan.series;
    const slice = { exchange: plan.exchange, dataType, symbol, from: DAY, to: '2024-04-01' };
    const series = createSeriesReader(record)(slice);
    const days = toSliceDays(plan.selection, slice);
    const data = { ...slice, ...series, ...toSharedSliceData(plan, this.#destination), ...days };
    const job = parseSliceJob(JSON.parse(JSON.stringify(data)));
    const manifest = await this.#destination.openManifest({ warn: assert.fail });
    const { signal } = this.#context;
    const input = { job, folder: { destination: this.#destination }, signal };
    const options = toDownloadOptions(job, countConversionThreads());
    return planSlice(manifest, {
      ...input,
      options,
      emit: () => assert.fail(),
      canRequest: () => true,
    }).finally(() => manifest.close());
  }

  /** @param option passed as a flag if the config file does not have it. */
  async sync(args: CommandArgs, { flag, option }: Case): Promise<Planned> {
    const flags = option.scopes?.includes('config') === false ? { [flag]: args[flag] } : {};
    const settings = Object.entries(args)
      .filter(([name]) => !(name in flags))
      .map(([name, value]) => [flagToSetting(name), value]);
    const config = { jobs: [{ name: 'job', ...Object.fromEntries(settings) }] };
    const jobs = await readSyncJobs(
      parseConfig(JSON.stringify(config), 'c'),
      readOptions({ ...COMMAND_OPTIONS.plan, ...COMMAND_OPTIONS.sync }, flags),
      this.#context.signal,
    );
    const client = await this.#context.client();
    const { signal } = this.#context;
    const input = { client, jobs, destination: this.#destination, options: DOWNLOAD_DEFAULTS, signal };
    const run = { owner: createLockOwner(this.#context), lockTimeoutMs: 0, emit: () => {} };
    const opened = await openJobs({ ...input, ...run }, signal);
    await opened.manifest.close();
    return opened.jobs[0]?.downloadJob?.plan ?? assert.fail('no plan');
  }

  async #pin(args: CommandArgs): Promise<string> {
    const { plan, record } = await this.#plan(args);
    return formatPin(createPin(record, plan)).join('');
  }

  async #plan(args: CommandArgs): Promise<{ readonly plan: DownloadPlan; readonly record: ExchangeRecord }> {
    const { plan, record } = await this.download(args);
    if (!record || !('selection' in plan)) return assert.fail('not a plan of a selection');
    return { plan, record };
  }
}

function withoutSelection(args: CommandArgs): CommandArgs {
  const selected = { ...EXCHANGE_ARGUMENT, ...PLAN_SELECTION_OPTIONS };
  return Object.fromEntries(Object.entries(args).filter(([flag]) => !(flag in selected)));
}

async function withWays(t: TestContext, work: (ways: Ways) => Promise<void>): Promise<void> {
  const { dir, env } = await sandboxAndFolder(t);
  const host: CommandHost = {
    ...readProcessHost(process),
    env,
    home: dir,
    stdin: undefined,
    signal: new AbortController().signal,
    commandLine: 'test',
    warn: assert.fail,
  };
  const options = readCommandOptions({}, {});
  await withContext(options, host, { emit: () => {} }, (context) => work(new Ways(context, dir)));
}

/** The value of an option in a plan. */
function readValue({ selection, options }: Planned, { flag, option }: Case): unknown {
  const values: Readonly<Record<string, unknown>> = { ...selection, ...options };
  if (flag in ARRIVAL_OPTIONS || flag in ENCODING_OPTIONS) return options.convert;
  // Both names of dates are one list.
  return values[flag === 'days' ? 'date' : valueNameOf(flag, option)];
}

/** Options that a way replaces: the days of a pinned plan are fixed, and a slice has its own series and days. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  pinned: DAY_FLAGS,
  queue: [...DAY_FLAGS, 'type', 'symbol', 'symbol-type', 'strict'],
};

async function assertArrives(t: TestContext, cases: readonly Case[], names: readonly (keyof Ways)[]) {
  await withWays(t, async (ways) => {
    for (const each of cases) {
      const expected = readValue((await ways.download(each.args)).plan, each);
      const absent = readValue((await ways.download(each.base)).plan, each);
      assert.notDeepEqual(expected, absent, `--${each.flag} does not arrive in the plan of a download`);
      for (const name of names) {
        if (REPLACED[name]?.includes(each.flag)) continue;
        const value = readValue((await ways[name](each.args, each)) as Planned, each);
        assert.deepEqual(value, expected, `--${each.flag} does not arrive on the way: ${name}`);
      }
    }
  });
}

test('each option of a download arrives in its plan on every way', (t) =>
  assertArrives(t, DOWNLOAD_CASES, ['sync', 'queue', 'list', 'pinned']));

test('each option of a selection arrives in its plan on every way', (t) =>
  assertArrives(t, SELECTION_CASES, ['sync', 'queue', 'pinned']));

test('single days and free days are those of a pinned plan and of a slice too', (t) =>
  withWays(t, async (ways) => {
    const march = { ...SELECTED, from: '2024-02-20', to: '2024-03-06', free: true };
    const cases: readonly (readonly [CommandArgs, readonly string[]])[] = [
      [{ ...SELECTED, date: ['2024-03-02,2024-03-05'] }, ['2024-03-02', '2024-03-05']],
      [march, ['2024-03-01']],
      [{ ...SELECTED, date: ['2024-03'], weekdays: 'sun' }, ['2024-03-03', '2024-03-10', '2024-03-17']],
    ];
    for (const [args, days] of cases) {
      for (const name of ['download', 'pinned', 'queue'] as const) {
        const planned: unknown = await ways[name](args);
        const plan = (planned as { readonly plan?: DownloadPlan }).plan ?? (planned as DownloadPlan);
        const found = [...plan.files()].map(({ file }) => formatDay(file.day)).sort();
        assert.deepEqual(found.slice(0, 3), days, `${name} ${JSON.stringify(args)}`);
      }
    }
  }));
