import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The files that each source file imports, with paths relative to the project and `/`. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** AssemblyScript is a different language, with imports only inside its own folder. */
const OTHER_LANGUAGE = /\/assembly\//;

/** All source files under a folder, with paths relative to the project and `/`. */
export function sourceFiles(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, ...name.split(/[\\/]/)))
    .filter((path) => path.endsWith('.ts') && !OTHER_LANGUAGE.test(path))
    .sort();
}

export function readImports(root: string, files: readonly string[]): Imports {
  return new Map(
    files.map((file) => [
      file,
      importsOf(readFileSync(join(root, file), 'utf8')).map((name) =>
        posix.join(dirname(file), name).replace(/\.js$/, '.ts'),
      ),
    ]),
  );
}

/** `import … from`, `import type`, `export … from`, and imports for side effects. */
const STATEMENT = /^(?:import|export)\s(?:[^;'"]*?\sfrom\s)?'(\.[^']+\.js)'/gm;
/** `import('…')`, also of types, and URLs of workers. */
const CALL = /\b(?:import|new URL)\(\s*'(\.[^']+\.js)'/g;

/** The project files that a source file imports, as written there, with `.js`. */
export function importsOf(source: string): readonly string[] {
  return [STATEMENT, CALL].flatMap((form) => [...source.matchAll(form)].map(([, name = '']) => name));
}

/** A circle of imports that starts and ends with the same file; empty if there is none. */
export function findCircle(imports: Imports): readonly string[] {
  const left = new Set(imports.keys());
  const next = (file: string): string | undefined => imports.get(file)?.find((name) => left.has(name));
  // A file without imports is on no circle, nor is a file that imports only such files.
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    for (const file of left) if (next(file) === undefined) left.delete(file);
  }
  const way: string[] = [];
  let [at] = left;
  while (at !== undefined && !way.includes(at)) {
    way.push(at);
    at = next(at);
  }
  return at === undefined ? [] : [...way.slice(way.indexOf(at)), at];
}
