import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineMemories } from '../../../src/market/day-file/text-lines.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
} from '../../../src/market/message-type-name.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { eachRound, rounds } from '../../helpers/services.js';
import { numberText } from './arbitraries.js';
import { seriesTarget } from './series-target.js';
import { byColumns, headerOf, type TextRun, textLinesOf } from './text-lines-of.js';
import { textLinesTarget } from './text-lines-target.js';

const TIMES = '1709251200123000,1709251200123456';

/** Lines by the kernel only: asserts that no memory for columns was created. */
function byKernel(run: TextRun): string {
  const memories = createLineMemories();
  const { text, error } = textLinesOf(run, memories);
  assert.equal(error, undefined);
  assert.equal(memories.columns.size, 0, 'some of it was made by columns');
  return text;
}

function linesByColumns(run: TextRun): string {
  return textLinesOf(byColumns(run), createLineMemories()).text;
}

test('kernel and columns give the same lines and errors for random files in random cuts', async () => {
  await eachRound(120, (round) => textLinesTarget.round(seededRandom('text-lines', round), () => {}));
});

test('the kernel writes numbers of any form in the shortest form, in trades and in levels', () => {
  const cells = fc.array(numberText, { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(cells, (numbers) => {
      const trades = numbers.map((cell) => `x,S,${TIMES},,buy,${cell},${cell}\n`).join('');
      const levels = numbers.map((cell) => `x,S,${TIMES},false,ask,${cell},${cell}\n`).join('');
      const expected = numbers.map((cell) => ({ price: Number(cell), amount: Number(cell) }));
      const cuts = [100];
      const lines = byKernel({ type: 'trade', files: [headerOf('trade') + trades], cuts });
      const ofTrades = lines.match(/"price":.*(?=,"side")/g);
      assert.deepEqual(
        ofTrades,
        expected.map((level) => JSON.stringify(level).slice(1, -1)),
      );
      const change = byKernel({ type: 'book_change', files: [headerOf('book_change') + levels], cuts });
      assert.ok(change.includes(`"bids":[],"asks":${JSON.stringify(expected)},"timestamp"`), change);
    }),
    { numRuns: rounds(60) },
  );
});

test('writes numbers at the bounds of those that are copied', () => {
  const least = [
    '0.000001',
    '0.0000010',
    '0.0000001',
    '0.00000099',
    '-0.000001',
    '-0.0000001',
    '-0',
    '-0.0',
    '0.0',
  ];
  const digits = Array.from({ length: 9 }, (_, i) => '123456789012345678901'.slice(0, 12 + i));
  const numbers = [
    ...least,
    ...digits.flatMap((text) => [
      text,
      `-${text}`,
      `0.${text}`,
      `-${text.slice(0, 3)}.${text.slice(3)}`,
      `${text}.5`,
    ]),
    ...[
      '1.10',
      '10',
      '100.5',
      '00.5',
      '-00',
      '1e5',
      '1E-7',
      '1e-7',
      '9007199254740993',
      '0.30000000000000004',
    ],
  ];
  const rows = numbers.map((cell, i) => `x,S${i},${TIMES},,sell,${cell},1\n`).join('');
  const lines = byKernel({ type: 'trade', files: [headerOf('trade') + rows], cuts: [1 << 20] });
  assert.deepEqual(
    [...lines.matchAll(/"price":(.*),"amount"/g)].map(([, text]) => text),
    numbers.map((text) => JSON.stringify(Number(text))),
  );
});

test('the exchange time has six decimals if it is the local one or not whole milliseconds', () => {
  const times = [
    '1709251200123456',
    '1709251200123000',
    '8999999999999999',
    '1000000000000000',
    '1709251199999999',
  ];
  const pairs = times.flatMap((time) => times.map((local) => `${time},${local}`));
  for (const [type, cells] of [
    ['trade', ',buy,1,2'],
    ['book_change', 'true,bid,1,2'],
  ] as const) {
    const files = [headerOf(type) + pairs.map((pair) => `x,S,${pair},${cells}\n`).join('')];
    const run = { type, files, cuts: [1000] };
    assert.equal(byKernel(run), linesByColumns(run));
  }
});

test('rows of one change with different spellings are one change', () => {
  const [timestamp, local] = TIMES.split(',');
  const usual = `x,S,${TIMES},false`;
  const odd = [`x,S,${TIMES},`, `x,S,0${timestamp},${local},false`, `x,S,${timestamp},00${local},false`];
  for (const other of odd) {
    for (const leading of [
      [usual, other],
      [other, usual],
      [usual, usual, other, other, usual],
    ]) {
      const rows = leading.map((cells, i) => `${cells},${i % 2 ? 'bid' : 'ask'},${i + 1},1\n`);
      const around = [`x,R,${TIMES},true,bid,1,2\n`, ...rows, `x,T,${TIMES},true,bid,1,2\n`].join('');
      for (const cuts of [[1], [7], [1000]]) {
        const run: TextRun = { type: 'book_change', files: [headerOf('book_change') + around], cuts };
        const { text } = textLinesOf(run, createLineMemories());
        assert.equal(text.split('\n').length - 1, 3, text);
        assert.equal(text, linesByColumns(run));
      }
    }
  }
});

test('a bar and a book continue in a day file with other columns', () => {
  const lines = (type: 'trade' | 'book_change', name: string, rows: readonly [string, string]): string => {
    const header = headerOf(type);
    const others = `new,${header}`;
    const files = [`${header}${rows[0]}\n`, `${others},${rows[1]}\n`.replace('\n,', '\n1,')];
    return textLinesOf({ type, names: [name], files, cuts: [1000] }, createLineMemories()).text;
  };
  const next = TIMES.replaceAll('200123', '260123');
  const bars = lines('trade', 'trade_bar_1m', [`x,S,${TIMES},,buy,5,1`, `x,S,${next},,buy,6,1`]);
  assert.match(bars, /^\{.*"open":5,.*"trades":1,.*\}\n$/);
  const rows = [`x,S,${TIMES},true,bid,5,1`, `x,S,${next},false,ask,6,1`] as const;
  const quotes = lines('book_change', 'quote', rows);
  assert.match(quotes, /"bids":\[\{"price":5,"amount":1\}\],"asks":\[\{"price":6,"amount":1\}\].*\n$/);
});

test('series of several files in random forms and in turns equal a naive implementation', async () => {
  await eachRound(30, (round) => seriesTarget.round(seededRandom('series', round), () => {}));
});

test('the kernel formats the first rows of real day files', { skip: NO_SAMPLES }, () => {
  const seen = new Set<string>();
  for (const [type, dataType] of Object.entries(EXCHANGE_MESSAGE_TYPES) as [
    ExchangeMessageTypeName,
    string,
  ][]) {
    for (const name of SAMPLES.filter((file) => file.includes(`_${dataType}_`))) {
      const whole = readFileSync(join(SAMPLES_DIR, name));
      const start = whole.subarray(0, whole.lastIndexOf('\n', 50_000) + 1);
      for (const [csv, cut] of [
        [start, 97],
        [whole, 1 << 20],
      ] as const) {
        const run = { type, files: [csv, csv], cuts: [cut] };
        const lines = byKernel(run);
        assert.ok(lines.length > 0);
        assert.ok(lines === linesByColumns(run), name);
      }
      seen.add(type);
    }
  }
  assert.ok(seen.size >= 5);
});

test('formats a whole book in one change, in small pieces, beyond the initial buffers', () => {
  const level = (i: number): string => `x,S,${TIMES},true,${i % 3 ? 'bid' : 'ask'},${i},${i / 100}\n`;
  const book = Array.from({ length: 30_000 }, (_, i) => level(i)).join('');
  const change = (i: number): string => level(i).replace('123456', '123457').replace('true', 'false');
  const files = [`${headerOf('book_change')}${change(1)}${book}${change(2)}${book}`];
  for (const cut of [16_384, 1 << 19]) {
    const run: TextRun = { type: 'book_change', files, cuts: [cut] };
    const lines = byKernel(run);
    assert.equal(lines.split('\n').length, 5);
    assert.ok(lines === linesByColumns(run));
  }
});

test('from a row that is too long, or a quote, on, columns are used, with the lines of the file', () => {
  const row = (id: string): string => `x,S,${TIMES},${id},buy,1,2\n`;
  const start = headerOf('trade') + row('a').repeat(3000);
  const run = (rest: string) => ({ type: 'trade', files: [start + rest], cuts: [100_000] }) as const;
  const long = textLinesOf(run(row('y'.repeat(1_100_000))), createLineMemories());
  assert.match(long.error ?? '', /^day-0\.csv\.gz: line 3002, the line is longer than/);
  assert.equal(long.text.split('\n').length, 3001);
  const broken = textLinesOf(run(`${row('"b\nc"')}${row('"')}`), createLineMemories());
  assert.match(broken.error ?? '', /^day-0\.csv\.gz: line 300[456], /);
  const quoted = run(`${row('"b ""c"')}${row('d')}`);
  assert.equal(textLinesOf(quoted, createLineMemories()).text, linesByColumns(quoted));
});
