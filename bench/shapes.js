// Compares the synthetic day files with the start of real ones: bytes per row, gzip's ratio, and by column the number of
// different values per thousand rows, of long values and of empty ones.
//   node bench/shapes.js [--scale <times the rows>] [--only <kind>] [--samples <folder of .csv files>]
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createGunzip, gzipSync } from 'node:zlib';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { table } from './lib/table.js';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.1' },
    only: { type: 'string' },
    samples: { type: 'string' },
  },
});
/** Rows to compare: as many as the longest real sample has. */
const ROWS = 10_000;
const THOUSAND = 1000;
const MANY_COLUMNS = 24;

for (const kind of [...KINDS, ...HARD_KINDS]) {
  if (values.only !== undefined && values.only !== kind.name) continue;
  const { path } = await dayFile(kind, { scale: Number(values.scale) });
  const made = shapeOf(await headText(path));
  const samples = values.samples === undefined ? [] : await samplesOf(values.samples, kind.type);
  const shapes = [{ name: 'made up', ...made }, ...samples];
  const names = made.columns.slice(0, MANY_COLUMNS).map(({ name }) => name);
  const lines = [
    ['rows', ...shapes.map(({ rows }) => String(rows))],
    ['bytes a row', ...shapes.map(({ rowBytes }) => rowBytes.toFixed(1))],
    ['gzip ratio', ...shapes.map(({ ratio }) => ratio.toFixed(1))],
    ...names.map((name) => [name, ...shapes.map((shape) => columnText(shape, name))]),
  ];
  process.stdout.write(
    `\n### ${kind.name}\n\n${table([['', ...shapes.map(({ name }) => name)], ...lines])}\n`,
  );
}

async function samplesOf(folder, type) {
  const names = (await readdir(folder)).filter((name) => name.includes(`_${type}_`) && name.endsWith('.csv'));
  return Promise.all(
    names.map(async (name) => ({
      name: name.split('_')[0],
      ...shapeOf(await readFile(join(folder, name), 'latin1')),
    })),
  );
}

/** The first rows of a day file. */
async function headText(path) {
  let text = '';
  for await (const chunk of createReadStream(path).pipe(createGunzip()).setEncoding('latin1')) {
    text += chunk;
    const lines = text.split('\n', ROWS + 2);
    if (lines.length === ROWS + 2) return `${lines.slice(0, -1).join('\n')}\n`;
  }
  return text;
}

function shapeOf(text) {
  const [header, ...lines] = text.trimEnd().split('\n');
  const rows = lines.map((line) => line.split(','));
  return {
    rows: rows.length,
    rowBytes: (text.length - header.length - 1) / rows.length,
    ratio: text.length / gzipSync(text, { level: 6 }).length,
    columns: header.split(',').map((name, at) => {
      const cells = rows.map((row) => row[at]);
      return {
        name,
        distinct: distinctIn(cells),
        changed: shareOf(cells, (cell, row) => row > 0 && cell !== cells[row - 1]),
        long: shareOf(cells, (cell) => cell.length > 16),
        empty: shareOf(cells, (cell) => cell === ''),
      };
    }),
  };
}

/** Mean number of different values per thousand rows; with fewer rows, in those. */
function distinctIn(cells) {
  const parts = Math.max(1, Math.floor(cells.length / THOUSAND));
  let sum = 0;
  for (let part = 0; part < parts; part++)
    sum += new Set(cells.slice(part * THOUSAND, (part + 1) * THOUSAND)).size;
  return Math.round(sum / parts);
}

function shareOf(cells, isOne) {
  return cells.filter(isOne).length / cells.length;
}

function columnText({ columns }, wanted) {
  const { distinct, changed, long, empty } = columns.find(({ name }) => name === wanted) ?? {};
  if (distinct === undefined) return '-';
  const percent = (share) => `${Math.round(share * 100)}%`;
  return [
    `${distinct}, ${percent(changed)} new`,
    ...(long > 0 ? [`${percent(long)} long`] : []),
    ...(empty > 0 ? [`${percent(empty)} empty`] : []),
  ].join(', ');
}
