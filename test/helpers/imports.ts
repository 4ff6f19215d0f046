import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A source file and the files that it imports, by paths from the project's folder, with `/`. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** AssemblyScript: another language, that imports within its own folder only. */
const OTHER_LANGUAGE = /\/assembly\//;

/** All source files below a folder of the project: paths from the project's folder, with `/`. */
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

/** `import … from`, `import type`, `export … from`, and an import for its effect alone. */
const STATEMENT = /^(?:import|export)\s(?:[^;'"]*?\sfrom\s)?'(\.[^']+\.js)'/gm;
/** `import('…')`, of types too, and workers, which are found by their place. */
const CALL = /\b(?:import|new URL)\(\s*'(\.[^']+\.js)'/g;
/** A list of files that are read by their place, one a line: the report's page is put together of such. */
const LISTED = /^\s+'(\.[^']+\.js)',$/gm;

/** What the text of a source file imports of the project's own files, as it is written there, with `.js`. */
export function importsOf(source: string): readonly string[] {
  return [STATEMENT, CALL, LISTED].flatMap((form) => [...source.matchAll(form)].map(([, name = '']) => name));
}

/** A way from a file over its imports back to itself, the first file again at the end; empty where there is none. */
export function findCircle(imports: Imports): readonly string[] {
  const left = new Set(imports.keys());
  const next = (file: string): string | undefined => imports.get(file)?.find((name) => left.has(name));
  // What leads to nothing is on no circle, and then neither is what leads only there.
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
