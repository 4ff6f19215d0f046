import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { between, type LineChoice, linesOf } from './lines-of.js';

/** Formats a cell of a kind between two other cells. */
async function cellOf(kind: 'time' | 'number' | 'text', cell: string | Buffer, choice: LineChoice = {}) {
  const text = Buffer.concat([Buffer.from('p,'), Buffer.from(cell), Buffer.from(',q\n')]);
  const line = await linesOf(text, { ...choice, schema: between(kind) });
  return /^\{"a":"p","x":(.*),"b":"q"\}\n$/s.exec(line)?.[1];
}

test('numbers keep their digits, except leading zeros', async () => {
  const same = ['0.00004405208333333333', '11650', '1.50', '0', '-0', '0e5', '1E-7', '-0.0', '1e+21', '5'];
  const sizes = [14, 15, 16, 17, 63, 64, 65].flatMap((size) => [
    '7'.repeat(size),
    `-${'7'.repeat(size - 1)}`,
    `0.${'7'.repeat(size - 2)}`,
    `${'7'.repeat(size - 2)}.7`,
    `${'7'.repeat(size - 4)}e-30`,
  ]);
  for (const cell of [...same, ...sizes]) {
    assert.equal(await cellOf('number', cell), cell);
    assert.equal(await cellOf('number', cell, { numbers: 'string' }), `"${cell}"`);
  }
  const changed = {
    '007': '7',
    '-00': '-0',
    '00.50': '0.50',
    '-012e3': '-12e3',
    '000': '0',
    '007.50': '7.50',
  };
  for (const [cell, digits] of Object.entries(changed)) {
    assert.equal(await cellOf('number', cell), digits);
    assert.equal(await cellOf('number', cell, { numbers: 'string' }), `"${cell}"`);
  }
  assert.equal(await cellOf('number', ''), 'null');
  assert.equal(await cellOf('number', '', { numbers: 'string' }), 'null');
});

test('times are integers, or ISO 8601 with exact microseconds', async () => {
  const times = {
    '1709251200123456': '2024-03-01T00:00:00.123456Z',
    '1000000000000000': '2001-09-09T01:46:40.000000Z',
    '951782400000000': '2000-02-29T00:00:00.000000Z',
    '8999999999999999': '2255-03-14T15:59:59.999999Z',
    '9007199254740991': '2255-06-05T23:47:34.740991Z',
    '-9007199254740991': '1684-07-28T00:12:25.259009Z',
    '-1': '1969-12-31T23:59:59.999999Z',
    '0': '1970-01-01T00:00:00.000000Z',
  };
  for (const [cell, iso] of Object.entries(times)) {
    assert.equal(await cellOf('time', cell), cell);
    assert.equal(await cellOf('time', cell, { times: 'iso' }), `"${iso}"`);
  }
  assert.equal(await cellOf('time', '-0'), '0');
  assert.equal(await cellOf('time', '0001709251200123'), '1709251200123');
  assert.equal(await cellOf('time', '', { times: 'iso' }), 'null');
});

test('the first and the last microsecond of each day have its date', async () => {
  const days = Array.from({ length: 92_000 }, (_, i) => (11_575 + i) * 86_400_000_000);
  const rows = days.flatMap((day) => [`p,${day},q\n`, `p,${day + 86_399_999_999},q\n`]).join('');
  const expected = days.flatMap((day) => {
    const date = new Date(day / 1000).toISOString().slice(0, 10);
    return ['00:00:00.000000', '23:59:59.999999'].map((time) => `{"a":"p","x":"${date}T${time}Z","b":"q"}\n`);
  });
  const lines = await linesOf(rows, { times: 'iso', schema: between('time'), rows: 50_000 });
  assert.ok(lines === expected.join(''));
});

test('text of any kind is kept at every offset within 16 bytes', async () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const odd = [
    '\\',
    '\\"',
    controls.replace('\n', ''),
    '\u007f',
    'ä€😀',
    '\u2028',
    ' x ',
    '',
    '\r',
    '\ufeff',
  ];
  for (const text of odd.filter((cell) => !cell.includes('"'))) {
    for (let before = 0; before <= 33; before++) {
      for (const after of [0, 1, 15, 16, 17]) {
        const cell = 'y'.repeat(before) + text + 'z'.repeat(after);
        const expected = cell === '' ? 'null' : JSON.stringify(cell);
        assert.equal(await cellOf('text', cell), expected);
      }
    }
  }
});

test('rows of single cells may contain any text, and keys are escaped', async () => {
  const schema = [...between('text'), { name: 'say "x\\y"', kind: 'text' } as const];
  const kernel = await createBatchKernel({
    source: 'x',
    schema,
    options: createOutputOptions('ndjson', {}),
  });
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const texts = ['"', '\\"', controls, 'a,b\r\nc', 'ä€😀', '{"a":1}', 'plain'];
  for (const text of texts) kernel.appendRow([text, text, 'b', text].map((cell) => Buffer.from(cell)));
  const lines = Buffer.from(kernel.finish()?.bytes ?? []).toString();
  const expected = texts.map((text) => {
    const cell = JSON.stringify(text);
    return `{"a":${cell},"x":${cell},"b":"b","say \\"x\\\\y\\"":${cell}}\n`;
  });
  assert.equal(lines, expected.join(''));
  assert.match(lines, /"\\u0000\\u0001.*\\b\\t\\n\\u000b\\f\\r/);
});
