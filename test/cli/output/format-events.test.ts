import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import { formatEstimate } from '../../../src/cli/output/format-events.js';
import { formatPlan, groupSeriesDays } from '../../../src/cli/output/format-plan.js';
import { addDays, parseDay } from '../../../src/day-files/day.js';
import type { PlannedFile } from '../../../src/download/download-options.js';
import type { PlanEvent, PlanStatus } from '../../../src/events/run-events.js';
import { jsonLines } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

const PLAN: PlanEvent = {
  event: 'plan',
  files: 2,
  estimatedBytes: 3_000_000,
  estimatedRows: 1,
  estimatedSeconds: 20,
  estimateBasis: 'manifest',
  sizeRange: [3_000_000, 3_000_000],
};

test('an estimate states its range, or that the size is unknown', () => {
  assert.equal(formatEstimate(PLAN), 'about 3.0 MB, 1 row, 20s, from earlier days');
  assert.equal(
    formatEstimate({ ...PLAN, estimateBasis: 'record', sizeRange: [1e6, 19e6] }),
    'roughly 3.0 MB (1.0 MB to 19.0 MB), 1 row, 20s, from averages of the exchange',
  );
  const wide: PlanEvent = { ...PLAN, estimateBasis: 'typical', sizeRange: null };
  assert.equal(formatEstimate(wide), 'size unknown');
  assert.equal(formatEstimate({ ...wide, freeBytes: 1e9 }), 'size unknown; 1.0 GB free');
  const none = { estimatedBytes: null, estimateBasis: null } as const;
  assert.equal(formatEstimate({ ...wide, ...none }), 'size unknown');
  assert.equal(formatEstimate({ ...PLAN, estimatedBytes: 0, estimateBasis: null, sizeRange: [0, 0] }), '');
  assert.equal(formatEstimate({ event: 'plan', files: 2 }), '');
});

/** Factors of docs/reference/download.md#plan. */
const FACTORS: Readonly<Record<string, number>> = { record: 30, typical: 300 };

test('the size lies within the documented factor for all kinds of files of the embedded service', async (t) => {
  const service = await sandbox(t);
  const env = {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_API_KEY: service.apiKey,
    XDG_CACHE_HOME: await tempDir(t),
  };
  const types = ['trades', 'quotes', 'incremental_book_L2', 'derivative_ticker', 'liquidations'];
  for (const type of [...types, 'book_snapshot_5', 'book_snapshot_25']) {
    const files = [
      'deribit',
      '-t',
      type,
      '-s',
      'BTC-PERPETUAL',
      '--date',
      '2024-03-01',
      '-o',
      await tempDir(t),
    ];
    const [plan] = jsonLines(await runHere(['plan', ...files, '--json'], { env }));
    const factor = FACTORS[String(plan?.['estimateBasis'])] ?? assert.fail(type);
    const summary = jsonLines(await runHere(['download', ...files, '--json'], { env })).at(-1);
    const ratio = Number(summary?.['bytes']) / Number(plan?.['estimatedBytes']);
    assert.ok(1 / factor <= ratio && ratio <= factor, `${type}: ${ratio}`);
  }
});

const FIRST = parseDay('2024-03-01');

/** One file per letter: d download, s skip, u unauthorized. */
function days(dataType: string, symbol: string, letters: string): readonly PlannedFile[] {
  const statuses: Readonly<Record<string, PlanStatus>> = { d: 'download', s: 'skip', u: 'unauthorized' };
  return [...letters].map((letter, i) => {
    const file = { exchange: 'deribit', dataType, symbol, day: addDays(FIRST, i) };
    const status = statuses[letter] ?? 'pending';
    return {
      file,
      path: '',
      outputs: [],
      status,
      action: letter === 'd' ? 'fetch' : 'nothing',
      mayBeAbsent: false,
    };
  });
}

const FILES: readonly PlannedFile[] = [
  ...days('trades', 'BTC-PERPETUAL', 'ssddd'),
  ...days('trades', 'ETH', 'd'),
  ...days('quotes', 'BTC-PERPETUAL', 'dududududududu'),
];

function text(columns: number, files = FILES, level: 0 | 1 = 0): string {
  const sizeOf = () => ({ bytes: 2e6, rows: 1, basis: 'manifest' as const });
  return [...formatPlan(groupSeriesDays(files, sizeOf), { columns, chalk: new Chalk({ level }) })].join('');
}

test('groups days by data type, symbol and status, in order, with sizes', () => {
  assert.equal(
    text(200),
    [
      'deribit trades',
      '  BTC-PERPETUAL  skip      2 days           2024-03-01 to 2024-03-02',
      '                 download  3 days  ~6.0 MB  2024-03-03 to 2024-03-05',
      '  ETH            download   1 day  ~2.0 MB  2024-03-01',
      '',
      'deribit quotes',
      '  BTC-PERPETUAL  download      7 days  ~14.0 MB  2024-03-01, 2024-03-03, 2024-03-05, 2024-03-07, 2 more, 2024-03-13',
      '                 unauthorized  7 days            2024-03-02, 2024-03-04, 2024-03-06, 2024-03-08, 2 more, 2024-03-14',
      '',
    ].join('\n'),
  );
});

test('wraps days on a screen of 80 columns, and puts them below their status on one of 40', () => {
  assert.match(
    text(80),
    /download {6}7 days {2}~14\.0 MB {2}2024-03-01, 2024-03-03,\n {49}2024-03-05, 2024-03-07, 2 more,\n {49}2024-03-13\n/,
  );
  assert.match(
    text(40),
    /^deribit trades\n {2}BTC-PERPETUAL\n {4}skip {6}2 days\n {6}2024-03-01 to 2024-03-02\n {4}download {2}3 days {2}~6\.0 MB\n/,
  );
  for (const columns of [40, 80, 200]) {
    for (const line of text(columns).split('\n')) assert.ok(line.length <= columns, line);
  }
});

test('colours change only colours, and control characters of a symbol are escaped', () => {
  const colored = text(80, FILES, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences of a terminal
  assert.equal(colored.replace(/\u001b\[\d+m/g, ''), text(80));
  assert.notEqual(colored, text(80));
  assert.ok(!text(80, days('trades', 'a\u001b[2J\n', 'd')).includes('\u001b'));
});

test('an empty plan is an empty text', () => {
  assert.equal(text(80, []), '');
});
