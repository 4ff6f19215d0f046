import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { envOf, jsonLines, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

test('real samples served over HTTP are downloaded, verified and stored under their names', {
  skip: NO_SAMPLES,
}, async (t) => {
  const service = await sandbox(t, { replayDir: SAMPLES_DIR, exportedUntil: undefined });
  const dir = await tempDir(t);
  for (const sample of SAMPLES) {
    const [exchange = '', rest = ''] = splitOnce(sample.replace(/\.csv$/, ''), '_');
    const [dataType = '', dayAndSymbol = ''] = rest.split(/_(?=\d{4}-\d\d-\d\d_)/);
    const [day = '', symbol = ''] = splitOnce(dayAndSymbol, '_');
    const args = ['download', exchange, '-t', dataType, '-s', symbol, '--date', day, '--json'];
    const run = sample === SAMPLES[0] ? tickhaul : runHere;
    const finished = await run(args, { env: envOf(service, dir) });
    assert.equal(finished.exitCode, 0, finished.stderr);
    const arrived = gunzipSync(await readFile(join(dir, `${sample}.gz`)));
    const real = await readFile(join(SAMPLES_DIR, sample));
    assert.deepEqual(arrived, real, sample);
    const file = jsonLines(finished).find((line) => line.event === 'file');
    const rows = real.toString().trimEnd().split('\n').length - 1;
    assert.deepEqual(
      [file?.['status'], file?.['md5Match'], file?.['rows']],
      ['downloaded', true, rows],
      sample,
    );
  }
});

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
