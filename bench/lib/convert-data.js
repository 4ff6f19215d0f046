import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { EXCHANGE, HEADERS } from './rows.js';

/**
 * Makes a day file of so many rows, unless the folder has it from an earlier run.
 * @param make gives the rows for a seed, as `rows.js` does.
 * @returns its path.
 */
export async function dayFile(folder, { type, symbol = 'BTCUSDT', rows, seed = 1, make }) {
  const path = join(folder, `rows-${rows}-seed-${seed}`, `${EXCHANGE}_${type}_2024-03-01_${symbol}.csv.gz`);
  if (await exists(path)) return path;
  await mkdir(join(path, '..'), { recursive: true });
  const part = `${path}.part`;
  try {
    await write(part, HEADERS[type], rows, make(seed));
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return path;
}

async function write(path, header, rows, texts) {
  const gzip = createGzip();
  const file = gzip.pipe(createWriteStream(path));
  let pending = header;
  let left = rows;
  for (const text of texts) {
    const lines = text.split('\n', left);
    if (lines.at(-1) === '') lines.pop();
    left -= lines.length;
    pending += `${lines.join('\n')}\n`;
    if (left > 0 && pending.length < 1_000_000) continue;
    if (!gzip.write(pending)) await once(gzip, 'drain');
    pending = '';
    if (left === 0) break;
  }
  gzip.end();
  await finished(file);
}

async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}
