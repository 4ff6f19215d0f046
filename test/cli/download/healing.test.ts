import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { succeeded } from '../../helpers/cli.js';
import { namesIn } from '../../helpers/temp.js';
import { downloadFolder, FIRST, SELECTION } from '../../verify/helpers.js';

const PAGE = gzipSync('<!doctype html>\n<html><title>Sign in</title></html>\n');

/** A folder whose first file is complete, and recorded with these bytes as verified. */
async function recordedWith(t: TestContext, change: (body: Buffer) => Buffer, keepsMark = true) {
  const folder = await downloadFolder(t);
  const path = join(folder.dir, FIRST);
  const whole = await readFile(path);
  const body = change(whole);
  await writeFile(path, body);
  const manifest = join(folder.dir, '.tickhaul', 'manifest.jsonl');
  const lines = (await readFile(manifest, 'utf8')).trimEnd().split('\n');
  const { checked, ...record } = JSON.parse(lines.find((line) => line.includes(FIRST)) ?? '') as {
    checked: string;
  };
  const digest = (algorithm: string): string => createHash(algorithm).update(body).digest('hex');
  const facts = { bytes: body.length, md5: digest('md5'), sha256: digest('sha256') };
  const text = gunzipSync(body).toString('latin1');
  const rows = text.split('\n').length - (text.endsWith('\n') ? 2 : 1);
  const changed = { ...record, ...facts, rows, ...(keepsMark && { checked }) };
  await appendFile(manifest, `${JSON.stringify(changed)}\n`);
  const isHealed = async (): Promise<boolean> => whole.equals(await readFile(path));
  return { ...folder, isHealed };
}

const editText = (edit: (text: string) => string) => (body: Buffer) =>
  gzipSync(edit(gunzipSync(body).toString()));

const WRONG_STARTS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  'a page': () => PAGE,
  'a page of more bytes than are read': () => gzipSync(`<html>${'x'.repeat(200_000)}\n`, { level: 0 }),
  'a file compressed once more': (body) => gzipSync(body),
  'another symbol': editText((text) => text.replaceAll('BTCUSDT', 'ETHUSDT')),
};

const HEALERS: readonly (readonly string[])[] = [
  ['download', ...SELECTION],
  ['download', ...SELECTION, '--existing', 'verify'],
  ['download', ...SELECTION, '--convert', 'parquet'],
  ['download', ...SELECTION, '--audit'],
  ['verify', '--repair'],
];

for (const [name, change] of Object.entries(WRONG_STARTS)) {
  test(`${name} that was recorded as verified is found, and replaced by the next download or repair`, async (t) => {
    const found = await recordedWith(t, change, false);
    const { exitCode, bad, files } = await found.verify();
    assert.deepEqual([exitCode, bad], [6, [`corrupt ${FIRST}`]]);
    assert.match(
      files.find(({ error }) => error)?.error?.message ?? '',
      new RegExp(`^${FIRST}: line [12], `),
    );
    for (const words of name === 'a page' ? HEALERS : HEALERS.slice(0, 1)) {
      const { run, isHealed } = await recordedWith(t, change, words.length > 2);
      await succeeded(run(...words));
      assert.ok(await isHealed(), words.join(' '));
    }
  });
}

test('files without the mark of the check are read once, and stay', async (t) => {
  const { dir, run, service } = await recordedWith(t, editText(String), false);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const asked = service.requests.length;
  for (const lines of [6, 6]) {
    const { stderr } = await run('download', ...SELECTION);
    assert.match(stderr, /4 skipped/);
    assert.equal((await readFile(manifest, 'utf8')).trimEnd().split('\n').length, lines);
  }
  assert.equal(service.requests.slice(asked).filter(({ host }) => host === 'datasets').length, 0);
});

/** Faults of a recorded file, with a command that reports each. */
const DAMAGES: readonly (readonly [name: string, change: (body: Buffer) => Buffer, command: string])[] = [
  ['a page', () => PAGE, 'convert'],
  ['a page', () => PAGE, 'audit'],
  ['a page', () => PAGE, 'export'],
  ['a bad cell', editText((text) => text.replace(/,buy,[\d.]+/, ',buy,cheap')), 'convert'],
  ['a bad cell', editText((text) => text.replace(/,buy,[\d.]+/, ',buy,cheap')), 'audit'],
  ['a short row', editText((text) => `${text}binance-futures,BTCUSDT\n`), 'convert'],
  ['a missing column', editText((text) => text.replace('amount', 'size')), 'convert'],
  ['a page', () => PAGE, 'verify'],
];

/** The command that a message advises. */
function adviceOf(text: string): readonly string[] {
  if (/tickhaul verify --repair downloads/.test(text)) return ['verify', '--repair'];
  assert.match(text, /--existing overwrite/);
  return ['download', ...SELECTION, '--existing', 'overwrite'];
}

for (const [name, change, command] of DAMAGES) {
  test(`what ${command} advises after ${name} heals the folder`, async (t) => {
    const { dir, run, isHealed } = await recordedWith(t, change);
    const more: Readonly<Record<string, readonly string[]>> = {
      convert: [dir, '-o', `${dir}-out`],
      export: ['freqtrade', dir, '-o', `${dir}-out`, '--pair', 'BTC/USDT:USDT'],
    };
    const { exitCode, stdout, stderr } = await run(command, ...(more[command] ?? []));
    assert.equal(exitCode, 6, stderr);
    await succeeded(run(...adviceOf(stdout + stderr)));
    assert.ok(await isHealed());
    await succeeded(run(command, ...(more[command] ?? [])));
    assert.ok((await namesIn(dir)).includes(FIRST));
  });
}

test('a damaged file heals by the advice of a conversion', async (t) => {
  const { dir, run } = await downloadFolder(t);
  const path = join(dir, FIRST);
  const whole = await readFile(path);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8((whole[whole.length >> 1] ?? 0) ^ 1, whole.length >> 1);
  await writeFile(path, damaged);
  const { exitCode, stderr } = await run('convert', dir, '-o', `${dir}-out`);
  assert.equal(exitCode, 6);
  await run(...adviceOf(stderr));
  assert.deepEqual(await readFile(path), whole);
});

test('an audit on arrival names a corrupt file once', async (t) => {
  const { run } = await recordedWith(
    t,
    editText((text) => text.replace(/,buy,[\d.]+/, ',buy,cheap')),
  );
  const { exitCode, stderr } = await run('download', ...SELECTION, '--audit', '--existing', 'verify');
  assert.equal(exitCode, 6, stderr);
  const lines = stderr.split('\n').filter((line) => line.includes('"cheap"'));
  assert.equal(lines.length, 1, stderr);
  assert.equal(lines[0]?.split(FIRST).length, 2, stderr);
});
