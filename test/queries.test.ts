import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDuck } from './format/parquet/readers.js';
import { BIN, envOf, tickhaul } from './helpers/cli.js';
import { fenced, projectText, shell, writeScript } from './helpers/machine.js';
import { noPython } from './helpers/python.js';
import { sandbox } from './helpers/sandbox.js';
import { namesIn, tempDir } from './helpers/temp.js';

const CONVERT = 'tickhaul convert datasets --as rows,trade_bar_1m -o parquet --layout hive';

/** An empty folder to type commands of the docs in; `tickhaul` is the built command, and uses a service. */
async function workplace(t: Parameters<typeof tempDir>[0]) {
  const dir = await tempDir(t);
  const service = await sandbox(t);
  const bin = join(dir, 'bin');
  await mkdir(bin);
  await writeScript(join(bin, 'tickhaul'), `exec '${process.execPath}' '${BIN}' "$@"`);
  const { TICKHAUL_DIR: _, ...env } = envOf(service, dir);
  return { dir, env: { ...env, PATH: `${bin}:${process.env['PATH']}` } };
}

test("the README's query finds what its commands have made", async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('README.md');
  const line = page.split('\n').find((text) => text.startsWith(CONVERT));
  assert.ok(line);
  const download = 'tickhaul download deribit -t trades -s BTC-PERPETUAL --from 2024-03-01 --to 2024-03-03';
  const { exitCode, stderr } = await shell(`${download} && ${line}`, env, dir);
  assert.equal(exitCode, 0, stderr);
  const duck = await openDuck();
  t.after(() => duck.close());
  await duck.query(`SET file_search_path = '${dir}'`);
  const queries = fenced(page, 'sql');
  assert.equal(queries.length, 1);
  for (const query of queries) assert.equal((await duck.query(query)).length, 2, 'two days');
});

const NO_NOTEBOOK = noPython('polars', 'duckdb', 'pandas', 'pyarrow', 'matplotlib');

test('the notebook runs from its first line to its last', { skip: NO_NOTEBOOK }, async (t) => {
  const { dir, env } = await workplace(t);
  const page = await projectText('docs/notebook.md');
  const [commands = ''] = fenced(page, 'sh');
  assert.ok(commands.includes(CONVERT));
  const made = await shell(commands, env, dir);
  assert.equal(made.exitCode, 0, made.stderr);
  const code = fenced(page, 'python').join('\n');
  const { exitCode, stderr } = await tickhaul([], {
    command: ['python3', '-c', code],
    env: { ...env, MPLBACKEND: 'Agg', MPLCONFIGDIR: dir },
    cwd: dir,
  });
  assert.equal(exitCode, 0, stderr);
  assert.ok((await namesIn(dir)).includes('bars.png'));
});
