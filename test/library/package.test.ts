import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BIN, envOf } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const exec = promisify(execFile);

/** The examples of a page that use the library, with the endings that they have as files. */
async function examplesOf(
  page: string,
): Promise<readonly { readonly ending: string; readonly code: string }[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(js|ts)\n(.*?)^```/gms)]
    .map(([, kind, code = '']) => ({ ending: kind === 'js' ? 'mjs' : 'mts', code }))
    .filter(({ code }) => code.includes("from 'tickhaul'"));
}

test('used from an empty folder: the examples of the docs compile, and that of the README runs', async (t) => {
  const dir = await tempDir(t);
  await install(dir);
  const [readme] = await examplesOf('README.md');
  const examples = [readme, ...(await examplesOf('docs/reference/library.md'))].filter(
    (one) => one !== undefined,
  );
  assert.ok(examples.length > 5);
  const names = await Promise.all(
    examples.map(async ({ ending, code }, at) => {
      const name = `example${at}.${ending}`;
      await writeFile(join(dir, name), code);
      return name;
    }),
  );
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023'], module: 'nodenext', strict: true, noEmit: true },
    ...{ allowJs: true, checkJs: true, noImplicitAny: false, exactOptionalPropertyTypes: true },
    ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
  };
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }));
  const { stdout } = await exec(join(ROOT, 'node_modules/.bin/tsc'), ['-p', dir]).catch((error) => error);
  assert.equal(stdout, '');

  const service = await sandbox(t);
  const env = { PATH: process.env['PATH'], HOME: dir, ...envOf(service, join(dir, 'data')) };
  const run = await exec(process.execPath, [join(dir, 'example0.mjs')], { cwd: dir, env });
  assert.equal(run.stderr, '');
  assert.match(run.stdout, /^downloaded deribit_trades_2024-03-01_BTC-PERPETUAL\.csv\.gz\n/);
});

/** What npm would install of the package, but for the packages that it needs now and then. */
async function install(dir: string): Promise<void> {
  const args = ['pack', '--json', '--ignore-scripts', '--dry-run'];
  const { stdout } = await exec('npm', args, { cwd: dirname(dirname(BIN)) });
  const [{ files = [] } = {}] = JSON.parse(stdout) as { files?: readonly { readonly path: string }[] }[];
  const target = join(dir, 'node_modules', 'tickhaul');
  for (const { path } of files) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(ROOT, path), join(target, path));
  }
}
