import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import { formatPlan, groupSeriesDays } from '../../../src/cli/output/format-plan.js';
import { addDays, parseDay } from '../../../src/day-files/day.js';
import type { PlannedFile } from '../../../src/download/download-options.js';
import type { PlanStatus } from '../../../src/events/run-events.js';

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
