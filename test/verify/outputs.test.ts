import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  setOtherManifestVersion,
  setOtherNoteVersion,
  setOtherParquetVersion,
} from '../convert/another-version.js';
import { csvOf, writeDayFile } from '../convert/day-files.js';
import { succeeded } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { downloadFolder, FIRST, folderOf, listNames, SECOND, SELECTION } from './helpers.js';

const outputOf = (name: string, extension: string): string => name.replace('csv.gz', extension);

test('conversions of a download are checked, and converted again if they are bad', async (t) => {
  const { dir, verify, service } = await downloadFolder(t, {}, ['--convert', 'parquet']);
  assert.equal((await verify()).summary.counts.verified, 8);
  const [first, second] = [outputOf(FIRST, 'parquet'), outputOf(SECOND, 'parquet')];
  const bytes = await readFile(join(dir, first));
  const harmed = Buffer.from(bytes);
  harmed.writeUInt8(harmed.readUInt8(100) ^ 1, 100);
  await writeFile(join(dir, first), harmed);
  await rm(join(dir, second));
  const asked = service.requests.filter(({ host }) => host === 'datasets').length;
  assert.deepEqual((await verify()).bad, [`corrupt ${first}`, `missing ${second}`]);
  assert.deepEqual((await verify('--repair')).bad, [`repaired ${first}`, `repaired ${second}`]);
  assert.equal(service.requests.filter(({ host }) => host === 'datasets').length, asked);
  assert.deepEqual(await readFile(join(dir, first)), bytes);
  assert.equal((await verify()).summary.counts.verified, 8);
});

test('a dropped CSV is not missing, and is downloaded if its conversion must be repaired', async (t) => {
  const flags = ['--convert', 'ndjson', '--compression', 'gzip', '--no-keep-csv'];
  const { dir, verify } = await downloadFolder(t, {}, flags);
  const outputs = await listNames(dir);
  assert.deepEqual((await verify()).summary.counts, { verified: 4 });
  const [first = ''] = outputs;
  await truncate(join(dir, first), 100);
  const { exitCode, bad } = await verify('--repair');
  assert.deepEqual([exitCode, bad], [0, [`repaired ${first}`]]);
  assert.deepEqual(await listNames(dir), outputs);
  assert.deepEqual((await verify()).summary.counts, { verified: 4 });
});

test('a conversion is repeated if its day file was downloaded again with other bytes', async (t) => {
  const { dir, verify } = await downloadFolder(t, {}, ['--convert', 'ndjson']);
  const other = folderOf(await sandbox(t, { seed: 2 }), dir);
  const output = outputOf(FIRST, 'ndjson');
  const before = await readFile(join(dir, output));
  await truncate(join(dir, FIRST), 100);
  const { exitCode, bad } = await other.verify('--repair');
  assert.deepEqual([exitCode, bad], [0, [`repaired ${FIRST}`, `repaired ${output}`]]);
  assert.notDeepEqual(await readFile(join(dir, output)), before);
  assert.equal((await verify()).summary.counts.verified, 8);
});

test('without a key, a conversion is repeated if that needs none', async (t) => {
  const { dir, run, env } = await downloadFolder(t, {}, ['--convert', 'parquet']);
  for (const name of await listNames(dir)) await rm(join(dir, name));
  delete env['TICKHAUL_API_KEY'];
  const { exitCode, stderr } = await run('verify', '--repair');
  assert.equal(exitCode, 6, stderr);
  assert.match(stderr, /2024-03-02_BTCUSDT.parquet: is missing; repairing it failed: it needs an API key/);
  assert.deepEqual(await listNames(dir), [FIRST, outputOf(FIRST, 'parquet')]);
});

test('the reason why a conversion cannot be repaired is reported', async (t) => {
  const { dir, verify } = await downloadFolder(t, {}, ['--convert', 'parquet']);
  const output = outputOf(FIRST, 'parquet');
  await rm(join(dir, output));
  await mkdir(join(dir, output));
  const { exitCode, bad, files } = await verify('--repair');
  assert.deepEqual([exitCode, bad], [6, [`corrupt ${output}`]]);
  assert.match(JSON.stringify(files), /is not a file; repairing it failed: [^"]*a folder has the name/);
});

test('outputs of convert are checked by their own metadata', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  await run('convert', dir);
  await run('convert', dir, '-f', 'ndjson', '--compression', 'zstd');
  await run('convert', join(dir, FIRST), '-f', 'ndjson', '--compression', 'gzip');
  await run('convert', join(dir, FIRST), '-f', 'ndjson');
  assert.deepEqual((await verify()).summary.counts, { verified: 14 });
  await truncate(join(dir, outputOf(FIRST, 'parquet')), 500);
  await truncate(join(dir, outputOf(FIRST, 'ndjson.gz')), 500);
  await truncate(join(dir, outputOf(FIRST, 'ndjson.zst')), 500);
  await truncate(join(dir, outputOf(FIRST, 'ndjson')), 500);
  const cut = ['ndjson', 'ndjson.gz', 'ndjson.zst', 'parquet'].map((kind) => outputOf(FIRST, kind));
  const { exitCode, bad } = await verify();
  assert.deepEqual([exitCode, bad], [6, cut.map((path) => `corrupt ${path}`)]);
});

test('extra bytes after NDJSON of convert are found, also without a line break', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  await run('convert', join(dir, FIRST), '-f', 'ndjson');
  const output = outputOf(FIRST, 'ndjson');
  await appendFile(join(dir, output), 'x');
  const { exitCode, bad, files } = await verify();
  assert.deepEqual([exitCode, bad], [6, [`corrupt ${output}`]]);
  assert.match(JSON.stringify(files), /has \d+ bytes, \d+ were written/);
  // An output that a download writes in its place is compared with the manifest.
  await run('download', ...SELECTION, '--convert', 'ndjson', '--times', 'iso');
  assert.deepEqual((await verify()).bad, []);
});

test('a conversion from other bytes than its source has now is found', async (t) => {
  const { dir, verify, run } = await downloadFolder(t);
  await run('convert', join(dir, FIRST));
  // The same day file with other bytes, adopted.
  const rows = gunzipSync(await readFile(join(dir, FIRST)))
    .toString()
    .split('\n');
  await writeFile(join(dir, FIRST), gzipSync(`${rows.slice(0, 100).join('\n')}\n`));
  await rm(join(dir, '.tickhaul', 'manifest.jsonl'));
  assert.deepEqual((await verify('--adopt', '--quick')).bad, []);
  const second = await verify();
  assert.deepEqual(second.bad, [`corrupt ${outputOf(FIRST, 'parquet')}`]);
  assert.match(JSON.stringify(second.files), /\S+ has changed since this conversion; convert it again/);
  await succeeded(run('convert', dir));
  await succeeded(run('download', ...SELECTION));
  assert.deepEqual((await verify()).bad, []);
});

test('conversions of another version are valid, and counted', async (t) => {
  const { dir, verify, run } = await downloadFolder(t, {}, ['--convert', 'parquet']);
  await run('convert', dir, '-f', 'ndjson');
  const empty = 'deribit_trades_2024-03-01_EMPTY.csv.gz';
  await writeDayFile(dir, 'trades', csvOf('trades', 0), 'EMPTY');
  await run('convert', join(dir, empty));
  const before = await verify();
  assert.equal(before.summary.outdated, undefined);
  const state = join(dir, '.tickhaul');
  await setOtherManifestVersion(join(state, 'manifest.jsonl'));
  await setOtherNoteVersion(join(state, 'conversions.jsonl'));
  await setOtherParquetVersion(join(dir, outputOf(empty, 'parquet')));
  const { exitCode, summary, files } = await verify();
  assert.deepEqual([exitCode, summary.counts, summary.outdated], [0, before.summary.counts, 9]);
  const outdated = files.filter((event) => event.outdated).map(({ path }) => path);
  assert.equal(outdated.filter((path) => path.endsWith('.ndjson')).length, 4);
  assert.equal(outdated.filter((path) => path.endsWith('.parquet')).length, 5);
  assert.equal((await verify('--quick')).summary.outdated, 4, 'of those that the manifest knows');
  const { stdout } = await run('verify', '--json');
  assert.equal(JSON.parse(stdout.trim().split('\n').at(-1) ?? '').outdated, 9);
  assert.match((await run('verify')).stderr, /\n9 outdated conversions, written with other columns or rules/);
  assert.match((await run('coverage')).stdout, /\n4 outdated conversions, written with other/);
  await run('download', ...SELECTION, '--convert', 'parquet');
  await run('convert', dir, '-f', 'ndjson');
  await run('convert', join(dir, empty));
  assert.equal((await verify()).summary.outdated, undefined);
});
