import { readFileSync } from 'node:fs';

const PACKAGE_JSON = new URL('../../../package.json', import.meta.url);

/** A test whether a file of the project, by its path from the root, is part of the package: `files` of package.json. */
export function filesOfPackage(): (path: string) => boolean {
  const { files } = JSON.parse(readFileSync(PACKAGE_JSON, 'utf8')) as { readonly files: readonly string[] };
  const contains = (entry: string, path: string): boolean => path === entry || path.startsWith(`${entry}/`);
  const isListed = (entries: readonly string[], path: string): boolean =>
    entries.some((entry) => contains(entry, path));
  const excluded = files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  const included = ['README.md', 'LICENSE', 'package.json', ...files];
  return (path) => isListed(included, path) && !isListed(excluded, path);
}
