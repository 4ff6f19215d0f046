import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedWith } from './static-imports.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Gives smaller ones of our own in the place of some packages, for the sake of the start. */
export const replaced = {
  name: 'replaced',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: here('./undici.js') }));
    // Only yargs asks for them so.
    onResolve({ filter: /^assert$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./assert.js') } : undefined,
    );
    onResolve({ filter: /^escalade\/sync$/ }, () => ({ path: here('./find-up.js') }));
    // Not where cli-progress asks for it by require(): that wants a function for the whole module.
    onResolve({ filter: /^string-width$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./string-width.js') } : undefined,
    );
  },
};

/**
 * Puts the modules that nearly every run needs into one chunk, and those of a download folder into another, where
 * esbuild would make dozens of a kilobyte each: it makes one for each set of entries that need a module, so all
 * entries are made to need these, or all that need one of them.
 */
export const fewChunks = {
  name: 'few-chunks',
  setup({ onResolve, onLoad }) {
    const everyRun = here('./every-run.js');
    const folderRun = here('./folder-run.js');
    const always = loadedWith(everyRun);
    const ofFolders = [...loadedWith(folderRun)].filter((path) => !always.has(path));
    onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) =>
      kind === 'entry-point' || kind === 'dynamic-import'
        ? { path: resolve(resolveDir, path), namespace: 'entry' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => {
      const needed = loadedWith(path);
      const shared = ofFolders.some((one) => needed.has(one)) ? [everyRun, folderRun] : [everyRun];
      const imports = shared.map((one) => `import '${one}';`).join('');
      return { contents: `${imports}export * from '${path}';`, resolveDir: dirname(path) };
    });
  },
};
