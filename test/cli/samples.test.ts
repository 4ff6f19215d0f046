import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { envOf, jsonLines, tickhaul } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

/** Real heads of day files, beside the checkout; they are not part of the project. */
const SAMPLES = fileURLToPath(new URL('../../../../shared/data', import.meta.url));

const samples = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter((name) => name.endsWith('.csv')) : [];
const skip = samples.length > 0 ? false : 'the real samples are not here';

test('the main job on real input: samples served over HTTP arrive verified under their names', {
  skip,
}, async (t) => {
  const service = await sandbox(t, { replayDir: SAMPLES, exportedUntil: undefined });
  const dir = await tempDir(t);
  for (const sample of samples) {
    const [exchange = '', rest = ''] = splitOnce(sample.replace(/\.csv$/, ''), '_');
    const [dataType = '', dayAndSymbol = ''] = rest.split(/_(?=\d{4}-\d\d-\d\d_)/);
    const [day = '', symbol = ''] = splitOnce(dayAndSymbol, '_');
    const args = ['download', exchange, '-t', dataType, '-s', symbol, '--date', day, '--json'];
    const finished = await tickhaul(args, { env: envOf(service, dir) });
    assert.equal(finished.exitCode, 0, finished.stderr);
    const arrived = gunzipSync(await readFile(join(dir, `${sample}.gz`)));
    const real = await readFile(join(SAMPLES, sample));
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
