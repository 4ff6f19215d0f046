import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadedWith } from './static-imports.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Replaces some packages by smaller modules of this project, to reduce the start time. */
export const replaced = {
  name: 'replaced',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: here('./undici.js') }));
    // Only yargs imports them in this way.
    onResolve({ filter: /^assert$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./assert.js') } : undefined,
    );
    onResolve({ filter: /^escalade\/sync$/ }, () => ({ path: here('./find-up.js') }));
    // Not if cli-progress loads it with require(), which expects a function as the module.
    onResolve({ filter: /^string-width$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./string-width.js') } : undefined,
    );
  },
};

/**
 * Puts the modules that nearly every run needs into one chunk, and those of a download folder into another, where
 * esbuild would create dozens of a kilobyte each. It creates one for each set of entries that need a module, so every
 * entry is made to import these, or every entry that imports one of them.
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
