import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { bucketFor } from '../helpers/s3/bucket.js';
import { storeTest } from '../helpers/services.js';
import { workingDir } from '../helpers/temp.js';
import { downloadFolder } from '../verify/helpers.js';

const COMMANDS: readonly (readonly string[])[] = [
  ['verify'],
  ['verify', '--quick'],
  ['verify', '--adopt'],
  ['convert'],
  ['convert', '-o', 'out'],
  ['audit', '--offline'],
  ['export', 'freqtrade', '-o', 'out'],
  ['export', 'nautilus', '-o', 'out', '-t', 'trades'],
  ['views'],
];

test('a folder in which a command finds nothing that it knows is code 2, not success', async (t) => {
  await workingDir(t);
  await mkdir('empty');
  await mkdir('other/inside', { recursive: true });
  await writeFile('other/inside/notes.txt', 'nothing');
  for (const words of COMMANDS) {
    for (const folder of ['empty', 'other']) {
      const { exitCode, stderr } = await runHere([...words, folder, '--quiet']);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, new RegExp(`^tickhaul: ${folder}: no day files and no manifest`), words.join(' '));
    }
  }
});

test('a path that does not exist is named as it was typed', async (t) => {
  await workingDir(t);
  for (const words of [...COMMANDS, ['coverage']]) {
    await failedWith(
      runHere([...words, 'nosuch', '--quiet']),
      2,
      /^tickhaul: nosuch: no such file or folder/,
      words.join(' '),
    );
  }
});

test('a folder whose manifest knows files that are gone is no mistake', async (t) => {
  const { dir, run } = await downloadFolder(t, {}, ['--convert', 'parquet', '--no-keep-csv']);
  for (const words of [['verify'], ['convert'], ['audit', '--offline']]) {
    await succeeded(run(...words, dir));
  }
  await rm(join(dir, '.tickhaul'), { recursive: true });
  assert.equal((await run('convert', dir)).exitCode, 2);
});

storeTest('a prefix of an object store in which nothing is known is code 2', async (t) => {
  const bucket = await bucketFor(t);
  const location = `s3://${bucket.name}/nothing`;
  for (const words of [
    ['convert'],
    ['audit', '--offline'],
    ['export', 'freqtrade', '-o', 'out'],
    ['views'],
  ]) {
    const { exitCode, stderr } = await runHere([...words, location], { env: bucket.envHere() });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, new RegExp(`${location}: no day files and no manifest`), words.join(' '));
  }
  assert.equal((await runHere(['verify', location], { env: bucket.envHere() })).exitCode, 2);
});
