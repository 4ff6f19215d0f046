import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ConvertJob } from '../../../src/convert/convert-job.js';
import { createThreadConverter } from '../../../src/convert/threads/file-converter.js';
import { createOutputOptions } from '../../../src/format/create-output-options.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { startedThreads } from '../../helpers/started-threads.js';
import { tempDir } from '../../helpers/temp.js';
import { csvOf, writeDayFile } from '../day-files.js';

test('if a thread ends between two jobs, the next job fails', async (t) => {
  const dir = await tempDir(t);
  const job: ConvertJob = {
    source: await writeDayFile(dir, 'trades', csvOf('trades', 5)),
    target: join(dir, 'output.parquet'),
    dataType: 'trades',
    options: createOutputOptions('parquet', {}),
    existing: 'overwrite',
    keepSource: true,
    spareProcessors: 0,
    provenance: undefined,
  };
  const { signal } = new AbortController();
  const [workers, converter] = [startedThreads(t), createThreadConverter(1, undefined)];
  cleanUp(t, () => converter.close());
  const convert = async (): Promise<unknown> => (await converter.convert(job, () => {}, signal))[0]?.rows;
  assert.equal(await convert(), 5);
  await workers[0]?.terminate();
  await assert.rejects(convert(), /the convert thread ended with code 1/);
  assert.equal(await convert(), 5, 'with a new thread');
});
