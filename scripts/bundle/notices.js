import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const HEAD = 'The files beside this one hold code of these packages, under these licences.';
const TAIL = [
  'Not among these files, but used by them where it is installed, unmodified:',
  'tardis-dev 13.35.3 (MPL-2.0), whose source is at https://github.com/tardis-dev/tardis-node',
].join('\n\n');

/**
 * The licences of the packages that some files belong to, from the licence files of the packages.
 * @throws if a package has none.
 */
export function notices(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []));
  return [HEAD, ...[...folders].sort().map(notice), `${TAIL}\n`].join(`\n\n${'-'.repeat(80)}\n\n`);
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
