import { readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const STATIC = /(?:^import|\bfrom) '([^']+)'/gm;
const DYNAMIC = /\bimport\('(\.{1,2}\/[^']+)'\)/g;
/** With fewer, short commands load more code; with more, all commands load more files. */
const MIN_ENTRIES = 12;

/** A kilobyte, in modules that nearly every command loads. */
const SMALL_PACKAGE = 'leven';

/**
 * Puts the modules that many entries load into one chunk, which every entry loads. esbuild alone would create dozens of a
 * kilobyte each, one for each set of entries that need a module. Entries are those of the bundle, and modules that others
 * import when they are needed. Modules that load a package stay apart.
 */
export function fewChunks(root, entries) {
  const counts = new Map();
  for (const entry of new Set([...entries.map((path) => resolve(path)), ...dynamicImports(root)])) {
    for (const path of loadedWith(entry)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const shared = [...counts].filter(([path, count]) => count >= MIN_ENTRIES && !loadsPackage(path));
  const imports = shared.map(([path]) => `import '${path}';`).join('');
  return {
    name: 'few-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) =>
        kind === 'entry-point' || kind === 'dynamic-import'
          ? { path: resolve(resolveDir, path), namespace: 'entry' }
          : undefined,
      );
      onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
        contents: `${imports}export * from '${path}';`,
        resolveDir: dirname(path),
      }));
    },
  };
}

function dynamicImports(root) {
  const modules = readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.js'));
  return modules.flatMap((name) => importsOf(resolve(root, name), DYNAMIC));
}

/** The project's modules that are loaded with one: itself, and its relative imports, recursively. */
function loadedWith(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const name of importsOf(path, STATIC)) if (name.startsWith('/')) loadedWith(name, found);
  return found;
}

function loadsPackage(path) {
  return [...loadedWith(path)].some((one) =>
    importsOf(one, STATIC).some((name) => /^(?!\/|node:)/.test(name) && name !== SMALL_PACKAGE),
  );
}

/** Absolute paths of imported modules, and names of imported packages. */
function importsOf(path, form) {
  const names = [...readFileSync(path, 'utf8').matchAll(form)].map(([, name]) => name);
  return names.map((name) => (name.startsWith('.') ? resolve(dirname(path), name) : name));
}
