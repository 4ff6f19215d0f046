import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { duckFor } from './format/parquet/readers.js';
import { BIN, envOf, succeeded, tickhaul } from './helpers/cli.js';
import { fenced, projectText, recipe, shell, writeScript } from './helpers/machine.js';
import { noPython } from './helpers/python.js';
import { sandboxAndFolder } from './helpers/sandbox.js';
import { nightlyTest } from './helpers/services.js';
import { namesIn, type tempDir } from './helpers/temp.js';

const CONVERT = 'tickhaul convert datasets --as rows,trade_bar_1m -o parquet --layout hive';

/** An empty folder to type commands of the docs in; `tickhaul` is the built command, and uses a service. */
async function workplace(t: Parameters<typeof tempDir>[0]) {
  const { service, dir } = await sandboxAndFolder(t);
  const bin = join(dir, 'bin');
  await mkdir(bin);
  await writeScript(join(bin, 'tickhaul'), `exec '${process.execPath}' '${BIN}' "$@"`);
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir);
  return { dir, env: { ...env, PATH: `${bin}:${process.env['PATH']}` } as Record<string, string> };
}

/** The blocks of a language under a heading of a page. */
function blocksUnder(page: string, heading: string, language: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return fenced(section.split('\n## ')[0] ?? '', language);
}

test("the README's commands run, and its query finds what they made", async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('README.md');
  const [commands = ''] = blocksUnder(page, 'Use', 'sh');
  assert.ok(commands.includes(CONVERT));
  const { TICKHAUL_API_KEY: _, ...noKey } = env;
  await succeeded(shell(commands, noKey, dir));
  const duck = await duckFor(t);
  await duck.query(`SET file_search_path = '${dir}'`);
  const queries = fenced(page, 'sql');
  assert.equal(queries.length, 1);
  for (const query of queries) assert.equal((await duck.query(query)).length, 1, 'one day');
});

nightlyTest('the queries of the views run over what the commands made', async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('docs/how-to/duckdb.md');
  const [commands = ''] = fenced(page, 'sh');
  await succeeded(shell(commands, env, dir));
  const duck = await duckFor(t);
  await duck.query(await readFile(join(dir, 'views.sql'), 'utf8'));
  const counts = await Promise.all(
    fenced(page, 'sql').map(async (query) => (await duck.query(query)).length),
  );
  // Two symbols on three days; the other queries have a limit.
  assert.deepEqual(counts, [6, 10, 10]);
});

const NO_PANDAS = noPython('pandas', 'pyarrow');

nightlyTest('the commands for freqtrade run, and its script reads the files', async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('docs/how-to/freqtrade.md');
  const [commands = '', , script = ''] = fenced(page, 'sh');
  await succeeded(shell(commands, env, dir));
  const folder = join(dir, 'user_data/data/binance/futures');
  const found = await namesIn(folder);
  assert.equal(found.length, 12, 'trades, three timeframes, marks and funding rates of two pairs');
  const code = await recipe('freqtrade.py');
  assert.deepEqual(fenced(page, 'python'), [code]);
  if (NO_PANDAS !== false) return t.diagnostic(`the script is skipped: ${NO_PANDAS}`);
  await writeFile(join(dir, 'freqtrade.py'), code);
  const printed = await succeeded(shell(script, env, dir));
  assert.match(printed.stdout, /^\d+ candles, \d+ trades, volume \d/m);
});

nightlyTest('the tutorial runs from its first command to its last', async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('docs/tutorial/first-plot.md');
  const [service = '', ...steps] = fenced(page, 'sh').filter((block) => !block.startsWith('npm '));
  const [code = ''] = fenced(page, 'python');
  const start = service.trimEnd().split('\n').at(-1) ?? '';
  assert.match(start, /^tickhaul sandbox .* -- sh$/);
  await writeFile(join(dir, 'plot.py'), code);
  const isPlot = (block: string): boolean => block.startsWith('python3 ');
  assert.equal(steps.filter(isPlot).length, 1);
  const noPlot = noPython('matplotlib');
  if (noPlot !== false) t.diagnostic(`the plot is skipped: ${noPlot}`);
  const commands = steps.filter((block) => noPlot === false || !isPlot(block)).join('');
  await writeFile(join(dir, 'steps.sh'), `set -e\n${commands}`);
  // Without the variables of the service above: the tutorial starts its own.
  const { PATH = '' } = env;
  const plain = { PATH, XDG_CACHE_HOME: join(dir, '.cache'), MPLBACKEND: 'Agg', MPLCONFIGDIR: dir };
  const { stdout } = await succeeded(shell(`${start} steps.sh`, plain, dir));
  for (const day of ['2024-03-01', '2024-03-02', '2024-03-03'])
    assert.match(stdout, new RegExp(`^deribit_trades_${day}_BTC-PERPETUAL\\.csv\\.gz$`, 'm'));
  assert.match(stdout, /^\{"exchange":"deribit".*"open":/m);
  assert.match(stdout, /^degraded 2024-03-02 deribit trades BTC-PERPETUAL: gap 1 \(4h00m\), id_gap \d/m);
  assert.ok((await namesIn(dir)).includes('audit.html'));
  assert.equal((await namesIn(dir)).includes('bars.png'), noPlot === false);
});

const NO_NOTEBOOK = noPython('polars', 'duckdb', 'pandas', 'pyarrow', 'matplotlib');

nightlyTest('the notebook runs from its first line to its last', { skip: NO_NOTEBOOK }, async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('docs/how-to/notebook.md');
  const [commands = ''] = fenced(page, 'sh');
  assert.ok(commands.includes(CONVERT));
  await succeeded(shell(commands, env, dir));
  const code = fenced(page, 'python').join('\n');
  await succeeded(
    tickhaul([], {
      command: ['python3', '-c', code],
      env: { ...env, MPLBACKEND: 'Agg', MPLCONFIGDIR: dir },
      cwd: dir,
    }),
  );
  assert.ok((await namesIn(dir)).includes('bars.png'));
});
