// Writes npm-shrinkwrap.json from the lock file, for the published package: its dependencies specify theirs as ranges,
// so an install could have other versions than the tested ones. Development dependencies are left out.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { packages, ...lock } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { devDependencies: _, ...own } = packages[''];
const published = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
const shrinkwrap = { ...lock, packages: { '': own, ...Object.fromEntries(published) } };
writeFileSync('npm-shrinkwrap.json', `${JSON.stringify(shrinkwrap, undefined, 2)}\n`);
