import { readFileSync } from 'node:fs';

/** The package's version, read once from the package.json it was shipped with. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
