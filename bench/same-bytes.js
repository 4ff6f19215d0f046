// Checks that conversions have the same bytes as those of an older build: every kind of day file, every option, with
// several releases of Node, with one thread and with several. Run it before a change of the engine is complete.
//   TICKHAUL_OLD=<path of an older build's command> node bench/same-bytes.js [--node <path of a node>]…
//     [--samples <folder of .csv files>] [--only <part of a file's name>]
// Both builds run on the same Node, since releases of Node have other releases of zstd, whose bytes may differ.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { withScratch } from './lib/scratch.js';
import { OLD_TICKHAUL, TICKHAUL } from './lib/service.js';

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [] },
    samples: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
if (!OLD_TICKHAUL) throw new Error('TICKHAUL_OLD is missing: the command of the build to compare with');
const run = promisify(execFile);

const OPTIONS = [
  '',
  '--compression snappy',
  '--compression gzip',
  '--compression none',
  '--row-group 1000',
  '--times int',
  '--numbers string',
  '--times int --numbers string --row-group 4097 --compression none',
  '--format ndjson',
  '--format ndjson --times iso',
  '--format ndjson --numbers string',
  '--format ndjson --compression gzip',
  '--format ndjson --compression zstd',
].map((text) => text.split(' ').filter(Boolean));

/** All processors, or one processor, on which the main thread does all work. */
const HOLDS = [[], ['taskset', '-c', '0']];
/** Enough rows for several batches of each kind, and for a file that gets separate threads. */
const SCALE = 0.1;

await withScratch(async (scratch) => {
  const sources = (await allSources(scratch)).filter((path) => path.includes(values.only));
  let compared = 0;
  for (const source of sources) {
    for (const options of OPTIONS) {
      for (const node of [process.execPath, ...values.node]) {
        const expected = await digest(scratch, [node, OLD_TICKHAUL], source, options);
        for (const hold of HOLDS) {
          const found = await digest(scratch, [...hold, node, TICKHAUL], source, options);
          compared++;
          if (found === expected) continue;
          process.exitCode = 1;
          const how = [...hold, node, ...options].join(' ');
          process.stdout.write(`differs: ${basename(source)}, ${how}\n`);
        }
      }
    }
    process.stderr.write(`${basename(source)}: compared\n`);
  }
  process.stdout.write(`${compared} conversions of ${sources.length} files compared\n`);
});

async function allSources(scratch) {
  const made = [];
  for (const kind of [...KINDS, ...HARD_KINDS]) made.push((await dayFile(kind, { scale: SCALE })).path);
  if (values.samples === undefined) return made;
  const names = (await readdir(values.samples)).filter((name) => name.endsWith('.csv'));
  for (const name of names) {
    const path = join(scratch, `${name}.gz`);
    await writeFile(path, gzipSync(await readFile(join(values.samples, name))));
    made.push(path);
  }
  return made;
}

/** The sha256 of a conversion's output, or its error message. */
async function digest(scratch, command, source, options) {
  const folder = join(scratch, 'output');
  await mkdir(folder);
  const [program, ...args] = [...command, 'convert', source, '--out', folder, ...options];
  try {
    await run(program, args);
    const [name] = await readdir(folder);
    return createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  } catch (error) {
    return `code ${error.code}: ${error.stderr}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
