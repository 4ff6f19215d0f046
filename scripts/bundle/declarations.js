import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const IMPORTED = /(?:from |import\()(['"])([^'"]+)\1/g;

/**
 * Copies the declarations that an entry's declarations import.
 * @throws if one imports a package, since users do not have the bundled packages.
 */
export function copyDeclarations(entry, root, target) {
  const seen = new Set();
  const copy = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    cpSync(file, join(target, relative(root, file)));
    for (const [, , from] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      if (from.startsWith('.')) copy(resolve(dirname(file), from.replace(/\.js$/, '.d.ts')));
      else if (!from.startsWith('node:'))
        throw new Error(`${file} shows a type of ${from} to users of the library`);
    }
  };
  copy(resolve(entry));
}
