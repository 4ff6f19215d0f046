import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { DAY } from '../rows/clock.js';
import { startService, TICKHAUL } from './service.js';

const run = promisify(execFile);

/**
 * A download folder with day files, verified and recorded, and the exchange record of the service: the input of a
 * replay with `--offline`.
 * @param paths day files of one exchange and type.
 * @returns the environment that makes tickhaul use it.
 */
export async function replayFolder(scratch, paths) {
  const source = join(scratch, 'source');
  await mkdir(source);
  for (const path of paths) await copyFile(path, join(source, basename(path)));
  const service = await startService('--replay-dir', source);
  try {
    const env = {
      ...service.env,
      TICKHAUL_DIR: join(scratch, 'data'),
      XDG_CACHE_HOME: join(scratch, 'cache'),
    };
    const [exchange, type] = basename(paths[0]).split(`_${DAY}_`)[0].split(/_(.*)/);
    const flags = ['-t', type, '-s', 'all', '--date', DAY, '--quiet'];
    await run(process.execPath, [TICKHAUL, 'download', exchange, ...flags], {
      env: { PATH: process.env.PATH, HOME: scratch, ...env },
    });
    return { env };
  } finally {
    await service.stop();
  }
}

/** Copies of the day file under other symbols: each has the same messages at the same times. */
export async function makeSymbols(scratch, path, count) {
  const folder = join(scratch, 'symbols');
  await mkdir(folder);
  const [, head, symbol] = /^(.*_)([^_]+)\.csv\.gz$/.exec(basename(path));
  const paths = [];
  for (let at = 0; at < count; at++) {
    const other = `COIN${String(at).padStart(3, '0')}`;
    const target = join(folder, `${head}${other}.csv.gz`);
    await pipeline(
      createReadStream(path),
      createGunzip(),
      renamed(`,${symbol},`, `,${other},`),
      createGzip({ level: 1 }),
      createWriteStream(target),
    );
    paths.push(target);
  }
  return paths;
}

/** Replaces a text in whole lines. */
function renamed(from, to) {
  let rest = '';
  return new Transform({
    transform(chunk, _encoding, done) {
      const text = rest + chunk.toString('latin1');
      const end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      done(null, Buffer.from(text.slice(0, end).replaceAll(from, to), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(rest.replaceAll(from, to), 'latin1'));
    },
  });
}
