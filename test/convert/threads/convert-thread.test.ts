import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ConvertJob } from '../../../src/convert/convert-job.js';
import { startConvertThread } from '../../../src/convert/threads/convert-thread.js';
import { createOutputOptions } from '../../../src/format/output-options.js';
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
  const [workers, thread] = [startedThreads(t), startConvertThread(undefined)];
  t.after(() => thread.close());
  const [result] = await thread.convert(job, () => {});
  assert.equal(result?.rows, 5);
  await workers[0]?.terminate();
  await assert.rejects(
    thread.convert(job, () => {}),
    /the converting thread ended/,
  );
});
