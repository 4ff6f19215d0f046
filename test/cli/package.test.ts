import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { BIN, envOf, type Finished, succeeded, tickhaul } from '../helpers/cli.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const LIB = dirname(BIN);
/** Words that occur only in the code of these packages. */
const PACKAGES = { undici: 'UND_ERR_INVALID_ARG', zod: '$ZodObject', yaml: 'YAMLParseError' };

interface Loaded {
  readonly finished: Finished;
  /** Modules of the package, including those of threads. */
  readonly files: readonly string[];
  /** The large packages that they contain. */
  readonly packages: readonly string[];
}

/** Files that a run loads, according to V8's coverage. */
async function loadedBy(
  args: readonly string[],
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<Loaded> {
  const reported = join(dir, 'loaded');
  await mkdir(reported, { recursive: true });
  const finished = await tickhaul(args, { env: { ...env, NODE_V8_COVERAGE: reported } });
  const scripts = new Set<string>();
  for (const name of await readdir(reported)) {
    const { result } = JSON.parse(await readFile(join(reported, name), 'utf8')) as {
      result: readonly { url: string }[];
    };
    for (const { url } of result) if (url.startsWith('file:')) scripts.add(fileURLToPath(url));
  }
  const files = [...scripts].filter((path) => path.startsWith(LIB));
  const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
  const packages = Object.entries(PACKAGES).flatMap(([name, word]) =>
    texts.some((text) => text.includes(word)) ? [name] : [],
  );
  return { finished, files, packages };
}

test('a command that requests the service loads at most 30 files', async (t) => {
  const { dir, env } = await sandboxAndFolder(t);
  const { finished, files, packages } = await loadedBy(['exchanges'], dir, env);
  assert.equal(finished.exitCode, 0, finished.stderr);
  assert.ok(files.length <= 30, files.join('\n'));
  assert.deepEqual(packages, ['undici', 'zod']);
});

test('help loads at most 10 files, the version 12, and completion 14', async (t) => {
  const dir = await tempDir(t);
  const runs: readonly (readonly [number, ...string[]])[] = [
    [10, '--help'],
    [12, 'version'],
    [14, '__complete', 'zsh', 'download', '--conv'],
  ];
  for (const [most, ...args] of runs) {
    const { finished, files } = await loadedBy(args, join(dir, String(most)), {});
    assert.equal(finished.exitCode, 0, finished.stderr);
    assert.ok(files.length <= most, `${args.join(' ')}: ${files.join('\n')}`);
  }
});

test('commands without requests load neither undici nor zod', async (t) => {
  const dir = await tempDir(t);
  const file = join(dir, 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz');
  const row = 'deribit,BTC-PERPETUAL,1709251200000000,1709251200000100,1,buy,60000.5,10';
  await writeFile(file, gzipSync(`exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${row}\n`));
  const runs: readonly (readonly [number, ...string[]])[] = [
    [0, '--help'],
    [2, 'plan', '--wrong'],
    [0, 'convert', file],
  ];
  for (const [exitCode, ...args] of runs) {
    const { finished, files, packages } = await loadedBy(args, join(dir, String(args[0])), {});
    assert.equal(finished.exitCode, exitCode, finished.stderr);
    assert.ok(files.length > 0);
    assert.deepEqual(packages, [], args.join(' '));
  }
});

test('64 open files are enough', async (t) => {
  const service = await sandbox(t);
  await succeeded(
    tickhaul(['exchanges'], {
      env: envOf(service, await tempDir(t)),
      command: withOpenFiles(64),
    }),
  );
});

test('too few open files never end with an exit code of another meaning', async () => {
  for (let count = 30; count >= 18; count -= 2) {
    const command = withOpenFiles(count);
    const [program = '', ...first] = command;
    const bare = await promisify(execFile)(program, [...first, '-e', '0']).catch(() => undefined);
    // Node itself does not start below some limit.
    if (bare === undefined) continue;
    const { exitCode, stderr } = await tickhaul(['--version'], { command });
    assert.ok(exitCode === 0 || exitCode === 1, `${count}: ${exitCode} ${stderr}`);
  }
});

test('a package with a missing file reports it in one line, and ends with 1', async (t) => {
  const dir = await tempDir(t);
  await copyFile(join(LIB, 'tickhaul.js'), join(dir, 'tickhaul.mjs'));
  const env = { PATH: process.env['PATH'] };
  await assert.rejects(promisify(execFile)(process.execPath, [join(dir, 'tickhaul.mjs')], { env }), {
    code: 1,
    stdout: '',
    stderr: /^tickhaul: cannot start: Cannot find module [^\n]*; install tickhaul again\n$/,
  });
});

/** A shell that limits the open files of Node. */
function withOpenFiles(count: number): readonly string[] {
  return ['/bin/sh', '-c', `ulimit -n ${count} && exec "$0" "$@"`, process.execPath];
}

test('the package is under 1.3 MB, and contains the licences of bundled packages', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: dirname(LIB) });
  const [{ size = Infinity, files = [] } = {}] = JSON.parse(stdout) as {
    size?: number;
    files?: readonly { readonly path: string }[];
  }[];
  assert.ok(size < 1_300_000, `${size} bytes`);
  const paths = files.map(({ path }) => path);
  for (const path of ['LICENSE', 'README.md', 'lib/index.js', 'lib/types/index.d.ts', 'lib/tickhaul.cjs'])
    assert.ok(paths.includes(path), path);
  assert.deepEqual(
    paths.filter((path) => /\.map$|^dist|^test|\.test\./.test(path)),
    [],
  );
  const licences = await readFile(join(LIB, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['undici', 'zod', 'yargs', 'uplot'])
    assert.match(licences, new RegExp(`^${name} \\d`, 'm'));
});
