import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DATA_TYPES, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { parseDay } from '../../../src/day-files/day.js';
import { type DayFile, parseDayFileName } from '../../../src/day-files/day-file.js';
import { createStartCheck } from '../../../src/format/csv/start-check.js';
import { generateDayFileText } from '../../../src/sandbox/archive/generate-day-file.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';

const FILE: DayFile = {
  exchange: 'deribit',
  dataType: 'trades',
  symbol: 'BTC-PERPETUAL',
  day: parseDay('2024-03-01'),
};
const HEADER = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';
const NOON = 1_709_294_400_000_000;
const ROW = `deribit,BTC-PERPETUAL,${NOON},${NOON + 5},1,buy,60000,1`;
const DAY_START = parseDay('2024-03-01') * 86_400_000_000;

/** The message of the error; undefined for a valid start. @param size bytes of each chunk. */
function problemOf(text: string | Buffer, file: Partial<DayFile> = {}, size = 1 << 20): string | undefined {
  const check = createStartCheck({ ...FILE, ...file });
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = Buffer.from(bytes.subarray(at, at + size));
      check.push(chunk);
      // The owner may overwrite the chunk afterwards.
      chunk.fill(0);
    }
    check.end();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}

const rowOf = (changes: Readonly<Record<number, string | number>>): string =>
  ROW.split(',')
    .map((cell, i) => String(changes[i] ?? cell))
    .join(',');
const bodyOf = (row: string, header = HEADER): string => `${header}\n${row}\n${row}\n`;

const VALID: readonly (readonly [name: string, text: string, file?: Partial<DayFile>])[] = [
  ['the day itself', bodyOf(ROW)],
  ['nothing', ''],
  ['a header', HEADER],
  ['a header line', `${HEADER}\n`],
  ['a row without its line feed', `${HEADER}\n${ROW}`],
  ['line ends of Windows', bodyOf(ROW).replaceAll('\n', '\r\n')],
  ['quotes', bodyOf(ROW.replace('deribit', '"deribit"'), HEADER.replace('symbol', '"symbol"'))],
  ['a new column', bodyOf(`${ROW},x`, `${HEADER},liquidation`)],
  [
    'a new order of columns',
    bodyOf(`1,${ROW.split(',').slice(0, 4)},buy,6,1`, `id,${HEADER.replace(',id', '')}`),
  ],
  ['an unknown data type', bodyOf(ROW), { dataType: 'greeks' }],
  ['a timestamp of the day before', bodyOf(rowOf({ 2: DAY_START - 3_600_000_000 }))],
  ['the first microsecond', bodyOf(rowOf({ 3: DAY_START }))],
  ['the last microsecond', bodyOf(rowOf({ 3: DAY_START + 86_400_000_000 - 1 }))],
  ['a clock that stepped back over midnight', bodyOf(rowOf({ 3: DAY_START - 1000 }))],
  ['a slash in the symbol', bodyOf(rowOf({ 1: 'BTC/USD' })), { symbol: 'BTC-USD' }],
  ['lower case in the symbol', bodyOf(rowOf({ 1: 'kPEPE' })), { symbol: 'KPEPE' }],
  ['a symbol from a file name', bodyOf(rowOf({ 1: 'A<B' })), { symbol: 'a-b' }],
  ['another symbol in a group', bodyOf(ROW), { symbol: 'PERPETUALS' }],
  ['a group of a later record', bodyOf(ROW), { symbol: 'COMBOS' }],
  ['a cell of a value that only a conversion needs', bodyOf(rowOf({ 6: 'NaN' }))],
];

const WRONG: readonly (readonly [
  name: string,
  text: string | Buffer,
  problem: RegExp,
  file?: Partial<DayFile>,
])[] = [
  [
    'a page',
    '<!doctype html>\n<html lang="en">',
    /^line 1, no header: the line begins with "<!doctype html>"/,
  ],
  [
    'a page with quotes first',
    '<html lang="en">\n<body>\n',
    /^line 1, no header: the line begins with "<html/,
  ],
  ['JSON', '{"code":1,"message":"x"}', /^line 1, no header/],
  ['a gzip file', gzipSync(bodyOf(ROW)), /^line 1, no header: .* compressed once more/],
  ['blank lines', '\n\n\n', /^line 1, no header/],
  ['one long line', Buffer.alloc(3_000_000, 'x'), /^line 1, the line is longer than/],
  [
    'a header of another type',
    bodyOf(ROW, HEADER.replace('id,', 'is_snapshot,')),
    /^line 1, column id: missing/,
  ],
  ['another exchange', bodyOf(rowOf({ 0: 'bitmex' })), /^line 2, column exchange: "bitmex" is not deribit$/],
  [
    'another symbol',
    bodyOf(rowOf({ 1: 'ETH-PERPETUAL' })),
    /^line 2, column symbol: "ETH-PERPETUAL" is not BTC/,
  ],
  ['a group in place of a symbol', bodyOf(rowOf({ 1: 'OPTIONS' })), /^line 2, column symbol/],
  ['no symbol', bodyOf(rowOf({ 1: '' })), /^line 2, column symbol: "" is not/],
  ['no symbol in a group', bodyOf(rowOf({ 1: '' })), /^line 2, column symbol/, { symbol: 'OPTIONS' }],
  ['no local time', bodyOf(rowOf({ 3: '' })), /^line 2, column local_timestamp: ""/],
  [
    'milliseconds',
    bodyOf(rowOf({ 3: NOON / 1000 })),
    /^line 2, column local_timestamp: .*not within 2024-03-01/,
  ],
  ['the day after', bodyOf(rowOf({ 3: DAY_START + 86_400_000_000 })), /^line 2, column local_timestamp/],
  ['the day before', bodyOf(rowOf({ 3: DAY_START - 3_600_000_000 })), /^line 2, column local_timestamp/],
  ['a short row', bodyOf('deribit,BTC-PERPETUAL'), /^line 2, column symbol: .* ends the line: 2 cells/],
  ['a row without an end', bodyOf(ROW + 'x'.repeat(3_000_000)), /^line 2, the line is longer than/],
  ['a row in a quote', `${HEADER}\n"${ROW}`.padEnd(3_000_000, 'x'), /^line 2, the line is longer than/],
  ['a blank row', bodyOf(''), /^line 2, column exchange: the line is blank/],
];

for (const size of [1 << 20, 7]) {
  test(`accepts each valid start, in chunks of ${size} bytes`, () => {
    for (const [name, text, file] of VALID) assert.equal(problemOf(text, file, size), undefined, name);
  });
}

test('refuses what does not begin like the day file, with the line', () => {
  for (const [name, text, problem, file] of WRONG) {
    assert.match(problemOf(text, file) ?? 'accepted', problem, name);
    if (text.length < 10_000) assert.match(problemOf(text, file, 7) ?? 'accepted', problem, name);
  }
});

test('accepts the files of each data type as no other type but one of the same columns', () => {
  const columnsOf = (dataType: string): string => String(dataTypeColumns(dataType)?.map(({ name }) => name));
  for (const dataType of DATA_TYPES) {
    const text = [
      ...generateDayFileText({ ...FILE, dataType }, ['BTC-PERPETUAL'], { rows: 50, seed: 1 }),
    ].join('');
    for (const other of DATA_TYPES) {
      const isSame = columnsOf(dataType) === columnsOf(other);
      const isValid = problemOf(text, { dataType: other, symbol: 'OPTIONS' }, 4096) === undefined;
      assert.equal(isValid, isSame, `${dataType} as ${other}`);
    }
  }
});

test('accepts the real samples', { skip: NO_SAMPLES }, () => {
  for (const name of SAMPLES) {
    const file = parseDayFileName(`${name}.gz`);
    assert.ok(file);
    assert.equal(problemOf(readFileSync(join(SAMPLES_DIR, name)), file), undefined, name);
  }
});
