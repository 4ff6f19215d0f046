import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../helpers/clean-up.js';
import { envOf } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { workingDir } from '../helpers/temp.js';

const SELECTION = ['deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];

test('a config file is read once, and its warnings are printed once', async (t) => {
  const cwd = await workingDir(t);
  const service = await sandbox(t);
  // A store without objects, which takes every new one.
  const store = createServer((request, response) => {
    request.resume();
    if (request.method === 'PUT') response.writeHead(200, { etag: '"x"' }).end();
    else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
  });
  await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
  cleanUp(t, () => new Promise((closed) => store.close(closed)));
  const env = {
    ...envOf(service, join(cwd, 'data')),
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_REGION: 'c',
  };
  await writeFile(join(cwd, 'tickhaul.yaml'), 's3PathStyle: true\n');
  await writeFile(join(cwd, 'tickhaul.json'), '{}');
  for (const words of [
    ['download', '--pinned', 's3://bucket/plan.json'],
    ['plan', ...SELECTION, '--pin', 's3://bucket/plan.json'],
    ['replay', 'deribit:A', '-t', 'trade', '--date', '2024-03-01', '--offline', '-o', 's3://bucket/m.json'],
    ['export', 'hftbacktest', 'none', '-o', 's3://bucket/x', '--skip-degraded'],
    ['convert', 'none', '-o', 's3://bucket/x', '--skip-degraded'],
    ['verify', '--dir', 'none'],
    ['sync'],
  ]) {
    const { stderr } = await runHere(words, { env });
    const warnings = stderr.match(/^warning ignoring tickhaul\.json: tickhaul\.yaml takes precedence$/gm);
    assert.equal(warnings?.length, 1, `${words.join(' ')}: ${stderr}`);
  }
});
