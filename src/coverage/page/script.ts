import { readFileSync } from 'node:fs';

/** The charting library's script and style sheet, which the build puts beside this module. */
export function chartLibrary(): { readonly script: string; readonly style: string } {
  return {
    script: read(new URL('./uPlot.iife.min.js', import.meta.url)),
    style: read(new URL('./uPlot.min.css', import.meta.url)),
  };
}

/**
 * The page's own script: the build puts the modules under `browser/`, and what they import, together, since a page
 * that opens from disk can't load one module from another.
 */
export function pageScript(): string {
  return read(new URL('./coverage-page.js', import.meta.url));
}

function read(file: URL): string {
  return readFileSync(file, 'utf8');
}
