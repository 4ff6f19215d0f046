import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeText } from '../../src/operations/read-user-file.js';
import { csvOf, writeDayFile } from '../convert/day-files.js';
import { failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

const TEXT = 'BTC-PERPETUAL\r\nÜ\r\n';
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

test('texts are decoded as their byte order marks say, and others are refused with the reason', () => {
  const decoded = [Buffer.from(TEXT), Buffer.from(`\ufeff${TEXT}`), utf16(TEXT), utf16(TEXT).swap16()];
  for (const bytes of decoded) assert.equal(decodeText(bytes, '--symbol: "x"'), TEXT);
  for (const text of ['', 'a']) assert.equal(decodeText(Buffer.from(text), ''), text);
  assert.equal(decodeText(utf16(''), ''), '');
  const wrong: readonly (readonly [Buffer, RegExp])[] = [
    [
      utf16('ab').subarray(2),
      /^--symbol: "x": is no text in UTF-8, nor in UTF-16 with a byte order mark; save/,
    ],
    [Buffer.from('fffe00006100000', 'hex'), /^--symbol: "x": is in UTF-32; save it as UTF-8$/],
    [Buffer.from('0000feff00000061', 'hex'), /is in UTF-32/],
    [gzipSync(TEXT), /is no text/],
  ];
  for (const [bytes, message] of wrong)
    assert.throws(() => decodeText(bytes, '--symbol: "x"'), { code: 'usage', message });
});

test('lists, keys and config files of Windows programs are read', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t, { rows: 20 });
  const select = ['deribit', '-t', 'trades', '--date', '2024-03-02'];
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(join(dir, name), bytes, { mode: 0o600 });
    return join(dir, name);
  };
  const list = await write('list', utf16('BTC-PERPETUAL\r\n'));
  const key = await write('key', utf16(`${service.apiKey}\r\n`));
  const keyed = { ...env, TICKHAUL_API_KEY: '' };
  await succeeded(
    runHere(['download', ...select, '-s', `@${list}`, '--api-key-file', key], {
      env: keyed,
    }),
  );
  const lock = join(dir, 'lock');
  await runHere(['lock', '-o', lock], { env });
  const config = {
    jobs: [{ name: 'a', exchange: 'deribit', types: ['trades'], symbols: [`@${list}`], last: 1 }],
  };
  const configFile = await write('tickhaul.json', utf16(JSON.stringify(config)));
  await succeeded(runHere(['sync', '--dry-run', '--config', configFile], { env }));

  for (const quoted of [`"${service.apiKey}"\n`, `'${service.apiKey}'`, `\u201c${service.apiKey}\u201d`]) {
    const file = await write('quoted', Buffer.from(quoted));
    for (const form of [{ TICKHAUL_API_KEY_FILE: file }, { TICKHAUL_API_KEY: quoted.trim() }]) {
      const { exitCode, stderr } = await runHere(['key'], { env: { ...env, TICKHAUL_API_KEY: '', ...form } });
      const [name] = Object.keys(form);
      assert.deepEqual([exitCode, stderr], [2, `tickhaul: ${name}: the API key is in quotes; remove them\n`]);
    }
  }
});

test('a byte order mark in the header of a CSV file is the reason of its refusal', async (t) => {
  const dir = await tempDir(t);
  const csv = csvOf('trades', 20);
  for (const bytes of [Buffer.from(`\ufeff${csv}`), utf16(csv)]) {
    const path = await writeDayFile(dir, 'trades', gzipSync(bytes));
    for (const words of [
      ['convert', path, '-o', join(dir, 'out')],
      ['audit', '--offline', path],
      ['convert', path, '-o', '-'],
    ]) {
      await failedWith(
        runHere(words),
        6,
        /line 1, no header: the file begins with a byte order mark, so another program has/,
      );
    }
  }
});
