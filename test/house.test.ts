import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findCircle, importsOf, readImports, sourceFiles } from './helpers/imports.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLAN = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const FILES = ['bin', 'src'].flatMap((folder) => sourceFiles(ROOT, folder));
const IMPORTS = readImports(ROOT, FILES);

/** Rooms and their floors, of the tables of docs/architecture.md. */
const FLOORS: ReadonlyMap<string, number> = new Map(
  [...PLAN.matchAll(/^\|\s*(\d)\s*\|([^|]*)\|/gm)].flatMap(([, floor, rooms = '']) =>
    [...rooms.matchAll(/`([^`]+)`/g)].map(([, room = '']) => [room, Number(floor)] as const),
  ),
);

function roomOf(file: string): string | undefined {
  return [...FLOORS.keys()].find((room) => file.startsWith(room));
}

test('imports are found in every form that they are written in', () => {
  const source = [
    "import { a } from './a.js';",
    "import type { B } from '../b.js';",
    "import {\n  type C,\n  c,\n} from './c/c.js';",
    "import './effect.js';",
    "import fs from 'node:fs';",
    "export { d } from './d.js';",
    "export type * from './e.js';",
    "const { f } = await import('./f.js');",
    "type G = import('./g.js').G;",
    "const worker = new Worker(new URL('./worker.js', import.meta.url));",
    "// import './comment.js'",
  ].join('\n');
  assert.deepEqual(importsOf(source), [
    './a.js',
    '../b.js',
    './c/c.js',
    './effect.js',
    './d.js',
    './e.js',
    './f.js',
    './g.js',
    './worker.js',
  ]);
});

test('every file that a source file names is one that was read', () => {
  for (const [file, imports] of IMPORTS) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    assert.equal(imports.length, text.match(/['"`]\.[^'"`]*\.js['"`]/g)?.length ?? 0, file);
    for (const name of imports) assert.ok(IMPORTS.has(name), `${file} imports ${name}, which is not there`);
  }
});

test('a circle is found wherever it is', () => {
  const straight = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', []],
  ]);
  assert.deepEqual(findCircle(straight), []);
  assert.deepEqual(findCircle(new Map([...straight, ['c', ['d']], ['d', ['b']]])), ['b', 'c', 'd', 'b']);
  assert.deepEqual(findCircle(new Map([['a', ['a']]])), ['a', 'a']);
});

test('no file imports itself, through any others, types included', () => {
  assert.deepEqual(findCircle(IMPORTS), []);
});

test('every folder of src stands on a floor of docs/architecture.md', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
  );
  assert.deepEqual(
    folders.filter((folder) => !FLOORS.has(folder)),
    [],
    'each needs a row in the table of floors',
  );
});

test('a room imports only from lower floors', () => {
  const wrong = FILES.flatMap((file) => {
    const room = roomOf(file);
    return (IMPORTS.get(file) ?? []).flatMap((name) => {
      const other = roomOf(name);
      if (room === undefined || other === undefined) return [`${file} -> ${name}: no floor`];
      if (room === other) return [];
      const [floor = 0, below = 0] = [FLOORS.get(room), FLOORS.get(other)];
      return below < floor ? [] : [`${file} (floor ${floor}) -> ${name} (floor ${below})`];
    });
  });
  assert.deepEqual(wrong, []);
});

/** Of the globals, in code: not in a comment, and not a field of that name. */
const PROCESS =
  /(?<![\w.'"`-])(?:process|console)\s*(?:\?\.|\.|\[)|[=(]\s*(?:process|console)[;,)]|globalThis|'node:(?:process|console)'/;

test('nothing but the command line touches the console, or the process beyond three doors', () => {
  const code = (text: string): readonly string[] =>
    text.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  const uses = FILES.flatMap((file) =>
    code(readFileSync(join(ROOT, file), 'utf8'))
      .filter((line) => PROCESS.test(line))
      .map((line) => [file, line.trim()] as const),
  );
  // The command line does, so the search finds what it is meant to find.
  assert.ok(uses.some(([file]) => file === 'src/cli/main.ts'));
  assert.deepEqual(
    uses.filter(([file]) => !/^(?:bin|src\/cli)\//.test(file)),
    [
      [
        'src/library/library-host.ts',
        "return { ...hostOf(process), stdin: undefined, signal, commandLine: 'tickhaul, as a library', warn };",
      ],
      // Programs that a credential_process has started, which nothing else would end.
      ['src/store/s3/end-program.ts', "process.kill(pid, 'SIGKILL');"],
      // A variable that the SDK reads there while a client is made.
      ['src/store/s3/sdk.ts', 'const { env } = process;'],
    ],
  );
});

test('docs/architecture.md names files and folders that are there, each in one row', () => {
  const named = [...PLAN.matchAll(/^### `(.+)`$([^#]*)/gm)].flatMap(([, room = '', table = '']) =>
    [...table.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => join(room, name)),
    ),
  );
  assert.ok(named.includes(join('src/base', 'errors.ts')));
  assert.deepEqual(
    named.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
  assert.deepEqual(
    named.filter((path, at) => named.indexOf(path) < at),
    [],
  );
});
