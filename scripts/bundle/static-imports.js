import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const STATIC = /(?:^import|\bfrom) '(\.{1,2}\/[^']+)'/gm;

/** The modules of ours that are loaded with one: itself, and what it imports by relative names, however far. */
export function loadedWith(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(STATIC))
    loadedWith(resolve(dirname(path), name), found);
  return found;
}
