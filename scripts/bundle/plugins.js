import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Replaces some packages by smaller modules of this project, to reduce the start time. */
export const replaced = {
  name: 'replaced',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: here('./undici.js') }));
    onResolve({ filter: /^\.\/client-h2\.js$/ }, () => ({ path: here('./http2.cjs') }));
    // Only yargs imports them in this way.
    onResolve({ filter: /^assert$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('./assert.js') } : undefined,
    );
    onResolve({ filter: /^escalade\/sync$/ }, () => ({ path: here('./find-up.js') }));
    onResolve({ filter: /^string-width$/ }, () => ({ path: here('./string-width.js') }));
  },
};
