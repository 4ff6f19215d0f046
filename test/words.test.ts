import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Phrases that the spelling checker cannot see; `cspell.json` has the single words. */
const PHRASES = [
  'so many',
  'such a one',
  'of its own',
  'goes by',
  'stands there',
  'all the same',
  'comes to',
  'with a word',
  'interface page',
  'service facts',
  'replay facts',
  'the contract',
];
const FORBIDDEN = new RegExp(`\\b(?:${PHRASES.join('|')})\\b`, 'i');
/** Names that say neither a bound nor a unit: MAX_, MIN_ and the quantity say it. */
const NAMES = /\b(?:MOST|LEAST)_/;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

function filesBelow(folder: string, extension: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);
}

const CODE = [
  ...['bin', 'src', 'test'].flatMap((folder) => filesBelow(folder, '.ts')),
  ...['bench', 'scripts'].flatMap((folder) => filesBelow(folder, '.js')),
].filter((file) => file !== 'test/words.test.ts');
const PAGES = [
  ...filesBelow('docs', '.md'),
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && statSync(join(ROOT, name)).isFile()),
];

function findPhrases(file: string, isChecked: (line: string) => boolean): readonly string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const found = isChecked(line) && FORBIDDEN.exec(line);
    return found ? [`${file}:${at + 1}: ${found[0]}`] : [];
  });
}

test('comments and pages use plain words', () => {
  const inCode = CODE.flatMap((file) => findPhrases(file, (line) => COMMENT.test(line)));
  assert.deepEqual([...inCode, ...PAGES.flatMap((file) => findPhrases(file, () => true))], []);
});

test('constants that bound a quantity are called MAX and MIN', () => {
  const found = CODE.filter((file) => NAMES.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(found, []);
});
