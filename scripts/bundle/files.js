import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const NAMED = /(new WorkerThread\(\s*)?new URL\(\s*'(\.{1,2}\/[^']+)',\s*import\.meta\.url\s*\)/g;

/**
 * The files that modules refer to by `new URL('./<name>', import.meta.url)`: threads, which are bundled as separate
 * entries, and data files (wasm, parts of pages), which are copied. All of them are written to one folder.
 * @throws if two have the same name, or one is in another folder than the module that refers to it.
 */
export function namedFiles(root) {
  const threads = new Set();
  const others = new Set();
  for (const name of readdirSync(root, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const module = join(root, name);
    for (const [, thread, path] of readFileSync(module, 'utf8').matchAll(NAMED)) {
      if (dirname(path) !== '.')
        throw new Error(`${module} names ${path}, which would not be beside the bundle`);
      (thread === undefined ? others : threads).add(join(dirname(module), path));
    }
  }
  const names = [...threads, ...others].map((path) => basename(path));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Error(`two files are called ${twice}: rename one, both go into one folder`);
  return { threads: [...threads], others: [...others] };
}
