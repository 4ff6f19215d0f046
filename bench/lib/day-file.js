import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { DAY } from '../rows/clock.js';

const MAKERS = new URL('../rows/', import.meta.url);
/** Generated once, since that takes minutes, and again if the generators change. */
const CACHE = join(tmpdir(), 'tickhaul-bench-day-files', makersHash());
/** Longer texts cost more to build than the additional calls of gzip. */
const CHUNK = 32_768;

/**
 * Generates a day file, unless the temporary folder has it from an earlier run; compressed like those of the service.
 * @param kind as in `kinds.js`; `scale` multiplies its rows.
 * @returns its path and its number of rows.
 */
export async function dayFile(kind, { scale, seed = 1, symbol = kind.symbol }) {
  const rows = Math.max(1, Math.round(kind.rows * scale));
  const folder = join(CACHE, `${kind.name}-${rows}-${seed}`);
  const path = join(folder, `${kind.exchange}_${kind.type}_${DAY}_${symbol}.csv.gz`);
  if (await exists(path)) return { path, rows };
  process.stderr.write(`making ${rows.toLocaleString('en')} rows of ${kind.name}\n`);
  await mkdir(folder, { recursive: true });
  const part = `${path}.part`;
  try {
    await write(part, kind.header, kind.make(seed, symbol), rows);
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
  return { path, rows };
}

/** Links to a day file beside it: files with other names and the same cost. @returns their paths. */
export async function linksTo(path, count) {
  const links = Array.from({ length: count }, (_, at) => path.replace('.csv.gz', `-${at + 1}.csv.gz`));
  for (const to of links) if (!(await exists(to))) await link(path, to);
  return links;
}

function makersHash() {
  const hash = createHash('sha256');
  for (const name of readdirSync(MAKERS).sort()) hash.update(readFileSync(new URL(name, MAKERS)));
  return hash.digest('hex').slice(0, 8);
}

async function write(path, header, lines, rows) {
  const gzip = createGzip({ level: 6 });
  const file = gzip.pipe(createWriteStream(path));
  let pending = header;
  let left = rows;
  for (const line of lines) {
    pending += `${line}\n`;
    left--;
    if (left > 0 && pending.length < CHUNK) continue;
    if (!gzip.write(Buffer.from(pending, 'latin1'))) await once(gzip, 'drain');
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
