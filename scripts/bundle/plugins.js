import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Gives smaller ones of our own in the place of two packages, for the sake of the start. */
export const replaced = {
  name: 'replaced',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: here('./undici.js') }));
    // Not where cli-progress asks for it by require(): that wants a function for the whole module.
    onResolve({ filter: /^string-width$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./string-width.js') } : undefined,
    );
  },
};

/**
 * Puts the modules that nearly every run needs into one chunk, where esbuild would make dozens of a kilobyte each: it
 * makes one for each set of entries that need a module, so all entries are made to need these.
 */
export const oneChunk = {
  name: 'one-chunk',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) =>
      kind === 'entry-point' || kind === 'dynamic-import'
        ? { path: resolve(resolveDir, path), namespace: 'entry' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
      contents: `import '${here('./every-run.js')}'; export * from '${path}';`,
      resolveDir: dirname(path),
    }));
  },
};
