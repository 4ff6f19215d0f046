import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const STATIC = /(?:^import|\bfrom) '(\.{1,2}\/[^']+)'/gm;

/** The project's modules that are loaded with one: itself, and its relative imports, recursively. */
export function loadedWith(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(STATIC))
    loadedWith(resolve(dirname(path), name), found);
  return found;
}
