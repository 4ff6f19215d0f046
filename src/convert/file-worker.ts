import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import type { ComputedContent, ComputeJob } from './computed/computed-conversion.js';
import type { ConvertFileResult } from './convert-file.js';
import { type ConvertEvent, type ConvertJob, runConvertJob } from './convert-job.js';

const files = openFiles(workerData as StoreSettings | undefined);

serveTasks<ConvertJob | ComputeJob, readonly ConvertFileResult[] | ComputedContent, ConvertEvent>(
  async (job, { emit, ask, signal }) => {
    if (!('compute' in job)) return runConvertJob(job, files, (count, total) => emit([count, total]), signal);
    const { computeRows } = await import('./computed/computed-conversion.js');
    const onRows = async (text: Uint8Array): Promise<void> => void (await ask(text));
    return computeRows(job, files, { onRows, onBytes: (count) => emit([count, job.found.bytes]), signal });
  },
);
