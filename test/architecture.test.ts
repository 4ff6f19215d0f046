import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ERROR_TABLE } from '../src/base/errors.js';
import { OUTPUT_FORMAT_CHOICES } from '../src/base/output-format-names.js';
import { findCircle, importsOf, readImports, sourceFiles } from './helpers/imports.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAP = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const FILES = ['bin', 'src'].flatMap((folder) => sourceFiles(ROOT, folder));
const IMPORTS = readImports(ROOT, FILES);
const FORMATS = OUTPUT_FORMAT_CHOICES.join('|');

/** Modules and their layers, from the table in docs/architecture.md. */
const LAYERS: ReadonlyMap<string, number> = new Map(
  [...MAP.matchAll(/^\|\s*(\d+)\s*\|([^|]*)\|/gm)].flatMap(([, layer, modules = '']) =>
    [...modules.matchAll(/`([^`]+)`/g)].map(([, module = '']) => [module, Number(layer)] as const),
  ),
);

function moduleOf(file: string): string | undefined {
  return [...LAYERS.keys()].find((module) => file.startsWith(module));
}

test('finds imports in every form', () => {
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
    "const thread = new WorkerThread(new URL('./worker.js', import.meta.url), { name });",
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

test('resolves every file that a source file imports', () => {
  for (const [file, imports] of IMPORTS) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    assert.equal(imports.length, text.match(/['"`]\.[^'"`]*\.js['"`]/g)?.length ?? 0, file);
    for (const name of imports) assert.ok(IMPORTS.has(name), `${file} imports ${name}, which does not exist`);
  }
});

test('finds an import cycle anywhere in a graph', () => {
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

test('every module of src has a layer in docs/architecture.md', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
  );
  assert.deepEqual(
    folders.filter((folder) => !LAYERS.has(folder)),
    [],
    'each needs a row in the table of layers',
  );
});

test('every folder of src has a README of at most ten lines with its entry, and the layers it must not import', () => {
  const wrong = [...LAYERS].flatMap(([module, layer]) => {
    if (!/^src\/.*\/$/.test(module)) return [];
    const page = readFileSync(join(ROOT, module, 'README.md'), 'utf8');
    const isComplete =
      /^# .+\n\n\S/.test(page) &&
      page.includes('\n- Entry: ') &&
      page.includes(`\n- Must not import: layer ${layer} and above`);
    return isComplete && page.trimEnd().split('\n').length <= 10 ? [] : [module];
  });
  assert.deepEqual(wrong, []);
});

test('no folder of src has a README and nothing else', () => {
  const pages = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => basename(path) === 'README.md',
  );
  assert.ok(pages.length > LAYERS.size / 2);
  const folders = pages.map((page) => dirname(join(ROOT, 'src', page)));
  assert.deepEqual(
    folders.filter((folder) => readdirSync(folder).length === 1),
    [],
    'the page moves with the code that it describes',
  );
});

test('a module imports only from lower layers', () => {
  const wrong = FILES.flatMap((file) => {
    const module = moduleOf(file);
    return (IMPORTS.get(file) ?? []).flatMap((name) => {
      const other = moduleOf(name);
      if (module === undefined || other === undefined) return [`${file} -> ${name}: no layer`];
      if (module === other) return [];
      const [layer = 0, below = 0] = [LAYERS.get(module), LAYERS.get(other)];
      return below < layer ? [] : [`${file} (layer ${layer}) -> ${name} (layer ${below})`];
    });
  });
  assert.deepEqual(wrong, []);
});

test('code outside of src/store uses stores by their interface', () => {
  const outside = FILES.filter((file) => !file.startsWith('src/store/'));
  const imports = outside.flatMap((file) =>
    (IMPORTS.get(file) ?? [])
      .filter((name) => /^src\/store\/(?:s3|folder)\//.test(name))
      .map((name) => `${file} -> ${name}`),
  );
  assert.deepEqual(imports, [], 'callers import destination.ts, files.ts and location.ts');
  // A caller asks for a capability or for isObjectLocation, and never for the name of a store.
  const asking = /\b(?:destination|folder|store|target)\.kind (?:===|!==) '(?:folder|s3)'|'s3'|\^s3|'s3:/;
  assert.deepEqual(
    outside.filter((file) => asking.test(readFileSync(join(ROOT, file), 'utf8'))),
    [],
  );
  assert.doesNotMatch(readFileSync(join(ROOT, 'src/store/destination.ts'), 'utf8'), /readonly kind\b/);
});

/** Uses of the globals in code: not in comments, and not fields of the same name. */
const PROCESS =
  /(?<![\w.'"`-])(?:process|console)\s*(?:\?\.|\.|\[)|[=(]\s*(?:process|console)[;,)]|globalThis|'node:(?:process|console)'/;

test('only the command line touches the console, and few files outside of it the process', () => {
  const code = (text: string): readonly string[] =>
    text.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  const uses = FILES.flatMap((file) =>
    code(readFileSync(join(ROOT, file), 'utf8'))
      .filter((line) => PROCESS.test(line))
      .map((line) => [file, line.trim()] as const),
  );
  // The command line does, so the search itself works.
  assert.ok(uses.some(([file]) => file === 'src/cli/main.ts'));
  assert.deepEqual(
    uses.filter(([file]) => !/^(?:bin|src\/cli)\//.test(file)),
    [
      // A flag of this process that threads must not inherit.
      [
        'src/base/worker-thread.ts',
        "const isText = process.execArgv.some((flag) => flag.startsWith('--input-type'));",
      ],
      ['src/library/start-run.ts', '...readProcessHost(process),'],
      // Ends the programs that a credential_process has started.
      ['src/store/s3/credentials.ts', 'process.kill(pid, signal);'],
      // The SDK reads a variable there while a client is created.
      ['src/store/s3/s3-connection.ts', 'const { env } = process;'],
    ],
  );
});

/** A comparison with the name of an output format, or a list or table of these names. */
const FORMAT_NAME = new RegExp(`(?:[!=]==?|case|\\[)\\s*['"](?:${FORMATS})['"]|\\b(?:${FORMATS}): [^'"a-z]`);

test('only the formats and their registrations ask for the name of a format', () => {
  for (const code of ["=== 'ndjson'", "case 'parquet':", "['parquet', 'ndjson']", '{ parquet: 1 }'])
    assert.match(code, FORMAT_NAME);
  const formats = new RegExp(`^src/format/(?:${FORMATS})/`);
  assert.deepEqual(
    FILES.filter((file) => !formats.test(file) && FORMAT_NAME.test(readFileSync(join(ROOT, file), 'utf8'))),
    [
      'src/base/output-format-names.ts',
      'src/format/output-formats.ts',
      // Formats of day files in the records of the service.
      'src/sandbox/archive/recorded-archive.ts',
      'src/sandbox/simulation/synthetic-exchanges.ts',
    ],
  );
});

test('tests clean up in reverse order, by cleanUp', () => {
  const users = sourceFiles(ROOT, 'test').filter((file) =>
    /\bt\.after\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(users, ['test/helpers/clean-up.ts']);
});

test('only one file starts threads', () => {
  const starts = FILES.filter((file) => /\bnew Worker\(/.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(starts, ['src/base/worker-thread.ts']);
});

/** A declaration that a file exports under its own name. */
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm;

test('no two files of src export the same name', () => {
  const filesByName = new Map<string, Set<string>>();
  for (const file of FILES) {
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED)) {
      filesByName.set(name, (filesByName.get(name) ?? new Set()).add(file));
    }
  }
  assert.ok(filesByName.has('TickhaulError'));
  assert.deepEqual(
    [...filesByName].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files].join(' ')),
    [],
  );
});

test('no file of src has a name that could be any file', () => {
  const vague = new Set(['index', 'options', 'plan', 'replay', 'run', 'types', 'utils', 'helpers']);
  const names = FILES.filter((file) => file.startsWith('src/')).map((file) => basename(file, '.ts'));
  assert.deepEqual(
    [...vague].filter((name) => names.filter((other) => other === name).length > 1),
    [],
  );
});

test('only judgeError reads from the error table what is retried and what affects the run', () => {
  const judges =
    /\{[^{}]*\b(?:retry|affectsRun)\b[^{}]*\} = ERROR_TABLE|ERROR_TABLE[^;]*\.(?:retry|affectsRun)\b/;
  const isCodeList = (list: string): boolean =>
    [...list.matchAll(/'(\w+)'/g)].every(([, code = '']) => code in ERROR_TABLE);
  const found = FILES.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const lists = text.match(/\[\s*(?:'\w+',?\s*){2,}\]/g) ?? [];
    return judges.test(text) || lists.some(isCodeList);
  });
  assert.deepEqual(found, ['src/base/errors.ts']);
});

/** Documented parameters that the function after the comment lacks, as `name in file`. */
function findStaleParameters(file: string, text: string): readonly string[] {
  return [...text.matchAll(/\/\*\*(?:(?!\*\/).)*@param.*?\*\//gs)].flatMap(({ 0: comment, index }) => {
    const start = text.indexOf('(', index + comment.length);
    let [end, depth] = [start + 1, 1];
    for (; depth > 0 && end < text.length; end++) depth += { '(': 1, ')': -1 }[text[end] ?? ''] ?? 0;
    const words = new Set(text.slice(start, end).match(/\w+/g));
    const names = [...comment.matchAll(/@param\s+(\w+)/g)].map(([, name = '']) => name);
    return names.filter((name) => !words.has(name)).map((name) => `${name} in ${file}`);
  });
}

test('every documented parameter exists', () => {
  const sample =
    '/** @param one a @param two b */\nfunction f({ one }: { one: (x: 1) => 1 }, three) { two(); }';
  assert.deepEqual(findStaleParameters('x.ts', sample), ['two in x.ts']);
  assert.deepEqual(
    FILES.flatMap((file) => findStaleParameters(file, readFileSync(join(ROOT, file), 'utf8'))),
    [],
  );
});
