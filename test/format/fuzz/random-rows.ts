import {
  DATA_TYPES,
  type DayFileColumn,
  type DayFileKind,
  dataTypeColumns,
  LEADING_COLUMNS,
} from '../../../src/day-files/data-types.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';

/** A random schema: a data type's columns, in any order, and some unknown ones. */
export function randomSchema(random: Random): readonly DayFileColumn[] {
  const columns: DayFileColumn[] = [...(dataTypeColumns(pick(random, DATA_TYPES)) ?? LEADING_COLUMNS)];
  if (random.chance(0.1)) columns.splice(4);
  if (random.chance(0.3)) {
    const names = ['new', 'say "x\\y"', 'é中', 'a'.repeat(200), ...(random.chance(0.1) ? manyNames() : [])];
    for (const name of names.slice(random.int(names.length))) columns.push({ name, kind: 'text' });
  }
  return random.chance(0.3) ? shuffled(random, columns) : columns;
}

/** Mostly valid rows; no cell has a comma, a quote or a line end. */
export function randomRows(random: Random, schema: readonly DayFileColumn[], count: number): Buffer[][] {
  /** Share of invalid cells; most files have none. */
  const invalidShare = random.chance(0.2) ? random.next() / 100 : 0;
  const unusualShare = random.chance(0.5) ? random.next() / 2 : 0.01;
  /** Share of the cells equal to those above that have another spelling. */
  const respelledShare = random.chance(0.3) ? random.next() / 4 : 0;
  const rows: Buffer[][] = [];
  for (let row = 0; row < count; row++) {
    const previous = rows.at(-1);
    // Rows of one message have equal first cells.
    const shared = previous && random.chance(0.5) ? random.int(schema.length + 1) : 0;
    rows.push(
      schema.map(({ kind, name }, i) => {
        const above = previous?.[i];
        if (above && i < shared) return random.chance(respelledShare) ? respell(random, above, kind) : above;
        if (random.chance(invalidShare)) return Buffer.from(pick(random, INVALID_CELLS), 'latin1');
        const mayBeEmpty = !LEADING_COLUMNS.some((column) => column.name === name);
        if (mayBeEmpty && random.chance(0.15)) return Buffer.alloc(0);
        return Buffer.from((random.chance(unusualShare) ? UNUSUAL_CELLS : USUAL_CELLS)[kind](random));
      }),
    );
  }
  return rows;
}

/** Another spelling of the same value, if there is one. In messages an empty boolean is false. */
export function respell(random: Random, cell: Buffer, kind: DayFileKind): Buffer {
  const text = cell.toString('latin1');
  const [, sign = '', digits = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(text) ?? [];
  if (kind === 'boolean') return Buffer.from(text === 'false' ? '' : text === '' ? 'false' : text);
  if (digits === '' || (kind !== 'time' && kind !== 'number')) return cell;
  const begin = sign + '0'.repeat(random.int(3)) + digits;
  if (kind === 'time') return Buffer.from(begin);
  const zeros = '0'.repeat(random.int(3));
  const end = fraction === '' && zeros !== '' ? `.${zeros}` : fraction + zeros;
  return Buffer.from(begin + end + pick(random, ['', '', 'e0', 'E-0', 'e+00']));
}

/** Rows as text; some bytes are randomly changed, but never to a quote. */
export function textOf(random: Random, rows: readonly (readonly Buffer[])[], mayMutate: boolean): Buffer {
  const lineEnd = random.chance(0.1) ? '\r\n' : '\n';
  const lines = rows.map((cells) => cells.map((cell) => cell.toString('latin1')).join(',') + lineEnd);
  let text = Buffer.from(lines.join(''), 'latin1');
  if (mayMutate && random.chance(0.2)) {
    for (let i = 1 + random.int(3); i > 0; i--) {
      const at = random.int(text.length + 1);
      const inserted = Array.from({ length: random.int(4) }, () =>
        random.chance(0.7) ? pick(random, LIKELY) : pick(random, UNLIKELY),
      );
      text = Buffer.concat([text.subarray(0, at), Buffer.from(inserted), text.subarray(at + random.int(4))]);
    }
  }
  return text;
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random.int(from.length)] as T;
}

const LIKELY = [...Buffer.from('0123456789,,,\n\n\r.-eE+ntrufalse')];
const UNLIKELY = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x22);

const INVALID_CELLS = [
  '',
  '12x',
  '3.',
  '.5',
  '+5',
  '-',
  'NaN',
  '1e999',
  '9007199254740992',
  '1.5',
  'tru',
  '\xff\xfe',
];

type Cells = Readonly<Record<DayFileKind, (random: Random) => string>>;

const USUAL_CELLS: Cells = {
  text: (random) => pick(random, ['buy', 'sell', 'bid', 'BTC-PERPETUAL', 'x', hex(random)]),
  time: (random) => `15${digits(random, 14)}`,
  boolean: (random) => String(random.chance(0.5)),
  number: (random) => {
    const fraction = random.chance(0.7) ? `.${digits(random, 1 + random.int(7))}` : '';
    return `${random.chance(0.2) ? '-' : ''}${random.int(10 ** random.int(8))}${fraction}`;
  },
};

const UNUSUAL_CELLS: Cells = {
  text: (random) =>
    pick(random, [
      ...['\\', '\t', '\u0000\u001f', '\u007f', 'ä€😀', '\u2028', '{a:1}', ' x ', 'null', '\ufeff'],
      hex(random).repeat(1 + random.int(40)),
      `${hex(random).slice(0, 1 + random.int(32))}${pick(random, ['é', '\\', '\b', 'z'])}${hex(random)}`,
    ]),
  time: (random) =>
    pick(random, [
      ...['0', '-0', '-12', '007', '9007199254740991', '0585699200245000', '-9007199254740991'],
      ...['8999999999999999', '1000000000000000', '951782400000000', '4107542399999999', '4107542400000000'],
      `${1 + random.int(8)}${digits(random, 15)}`,
      `${random.chance(0.3) ? '-' : ''}${digits(random, 1 + random.int(15))}`,
    ]),
  boolean: USUAL_CELLS.boolean,
  number: (random) => {
    const sign = random.chance(0.3) ? '-' : '';
    const whole = random.chance(0.2) ? '0' : digits(random, 1 + random.int(random.chance(0.9) ? 20 : 90));
    const fraction = random.chance(0.5) ? `.${digits(random, 1 + random.int(25))}` : '';
    const exponent = random.chance(0.3) ? pick(random, ['e-7', 'E+21', 'e05', 'e-300', 'e150', 'E-007']) : '';
    return sign + whole + fraction + exponent;
  },
};

function digits(random: Random, count: number): string {
  let text = '';
  while (text.length < count) text += String(random.int(1e9)).padStart(9, '0');
  return text.slice(0, count);
}

function hex(random: Random): string {
  return random.int(2 ** 32).toString(16);
}

function manyNames(): string[] {
  return Array.from({ length: 400 }, (_, i) => `column ${i}`);
}

export function shuffled<T>(random: Random, from: readonly T[]): T[] {
  return from
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
