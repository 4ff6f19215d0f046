import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { tempDir } from '../../helpers/temp.js';

const run = promisify(execFile);

test('a thread can be started from the text of a module', async (t) => {
  const path = join(await tempDir(t), 'a.csv.gz');
  await writeFile(path, gzipSync('exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n'));
  const module = new URL('../../../src/convert/rows/read-rows.js', import.meta.url).href;
  const request = { path, batchRows: 10, numberText: 'none', hash: 'md5', inflateThreads: 0 };
  const sink = '{ onBatch() {}, onBytes() {} }';
  const text = `import { readRowsInThread } from '${module}';
    const { signal } = new AbortController();
    const result = await readRowsInThread(${JSON.stringify(request)}, undefined, ${sink}, signal);
    console.log(result.dataType);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text]);
  assert.equal(stdout, 'trades\n');
});
