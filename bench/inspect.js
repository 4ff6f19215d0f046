// Time and memory of `inspect`: hostile files of up to 100 MB beside the bounds, and ordinary ones.
//   node bench/inspect.js [--only <name>]
// TICKHAUL_OLD is the path of an older build's command, which is measured too, for the ordinary files.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { fromTests } from './lib/engine.js';
import { measure } from './lib/measure.js';
import { withScratch } from './lib/scratch.js';
import { OLD_TICKHAUL, TICKHAUL } from './lib/service.js';
import { table } from './lib/table.js';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const { dataPage, dictionaryPage, endlessRun, hostileParquet } = await fromTests(
  'describe/hostile-parquet.js',
);

const MAX_SECONDS = 10;
const MAX_MEGABYTES = 300;
const PLAIN = 0;
const RLE_DICTIONARY = 8;

/** Times, in pages of 100,000. */
function plainPages(rows) {
  return Array.from({ length: rows / 100_000 }, (_, page) => {
    const body = Buffer.alloc(800_000);
    for (let i = 0; i < 100_000; i++) body.writeBigInt64LE(BigInt(page * 100_000 + i), 8 * i);
    return dataPage(100_000, PLAIN, body);
  });
}

const FILES = [
  {
    name: 'run of 2^30 values',
    file: 'x.parquet',
    bytes: () => hostileParquet({ rows: 2 ** 30, pages: endlessRun() }),
  },
  { name: '400,000 row groups', file: 'x.parquet', bytes: () => hostileParquet({ rowGroups: 400_000 }) },
  {
    name: '4 million pages of a value',
    file: 'x.parquet',
    bytes: () => {
      const page = dataPage(1, RLE_DICTIONARY, Buffer.from([1, 2, 0]));
      const pages = [dictionaryPage(1, Buffer.alloc(8)), ...Array(4_000_000).fill(page)];
      return hostileParquet({ rows: 4_000_000, pages });
    },
  },
  {
    name: 'a page of 64 MB',
    file: 'x.parquet',
    bytes: () => hostileParquet({ rows: 8e6, pages: [dataPage(8e6, PLAIN, Buffer.alloc(64e6))] }),
  },
  { name: '30 MB of line feeds', file: 'x.ndjson.gz', bytes: () => gzipSync(Buffer.alloc(30e6, 10)) },
  {
    name: 'lines of 4 MB',
    file: 'x.ndjson.gz',
    bytes: () => gzipSync(`{"a":"${'é'.repeat(2e6)}"}\n`.repeat(20)),
  },
  {
    name: '12 million times',
    file: 'y.parquet',
    ordinary: true,
    bytes: () => hostileParquet({ rows: 12e6, pages: plainPages(12e6) }),
  },
  {
    name: '1 million rows of NDJSON',
    file: 'y.ndjson',
    ordinary: true,
    bytes: () =>
      Buffer.from(
        Array.from({ length: 1e6 }, (_, i) => `{"symbol":"BTC","local_timestamp":${i},"price":1.5}`).join(
          '\n',
        ),
      ),
  },
];

await withScratch(async (scratch) => {
  const rows = [['file', 'MB', 's', 'memory, MB', '']];
  for (const { name, file, ordinary, bytes } of FILES) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    const path = join(scratch, file);
    const content = bytes();
    await writeFile(path, content);
    for (const bin of [TICKHAUL, ...(OLD_TICKHAUL && ordinary ? [OLD_TICKHAUL] : [])]) {
      const { wall, memory = Number.NaN } = await measure(
        [process.execPath, bin, 'inspect', path],
        {},
        join(scratch, 'usage'),
      );
      const isWithin = wall <= MAX_SECONDS && !(memory > MAX_MEGABYTES * 1e6);
      const label = bin === TICKHAUL ? name : `${name}, older build`;
      const figures = [content.length / 1e6, wall, memory / 1e6].map((figure) => figure.toFixed(1));
      rows.push([label, ...figures, isWithin ? '' : 'beyond the bounds']);
    }
  }
  process.stdout.write(`${table(rows)}\n`);
});
