import { readFileSync } from 'node:fs';

/** What a page consists of besides our own HTML and style. */
export interface PageParts {
  /** The charting library's. */
  readonly chartScript: string;
  readonly chartStyle: string;
  /** The modules under `browser/` and what they import, in one: a page that opens from disk can't load modules. */
  readonly script: string;
}

/** Reads the parts, which the build puts beside this module. */
export function readPageParts(): PageParts {
  return JSON.parse(readFileSync(new URL('./page-parts.json', import.meta.url), 'utf8')) as PageParts;
}
