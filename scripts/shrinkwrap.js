// Writes npm-shrinkwrap.json of the lock file, for the package that is published: its dependencies pin theirs by
// ranges, so an install would have others than those that were tested. What only development needs is left out.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { packages, ...lock } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { devDependencies: _, ...own } = packages[''];
const published = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
const shrinkwrap = { ...lock, packages: { '': own, ...Object.fromEntries(published) } };
writeFileSync('npm-shrinkwrap.json', `${JSON.stringify(shrinkwrap, undefined, 2)}\n`);
