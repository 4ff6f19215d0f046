import { once } from 'node:events';
import { MessageChannel, type MessagePort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { serveJobs } from '../base/serve-jobs.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type ExportJobResult, type PlacedExportJob, runExportJob } from './run-export-job.js';

/** A call of a `JobListener`. */
export type ExportJobEvent =
  | { readonly bytes: readonly [count: number, total: number] }
  /** The answer is posted on `port`: an error, or undefined. */
  | { readonly claimed: readonly string[]; readonly port: MessagePort };

const store = workerData as StoreSettings | undefined;
const files = openFiles(store);

serveJobs<PlacedExportJob, ExportJobResult, ExportJobEvent>((job, { emit, signal }) => {
  const claim = async (claimed: readonly string[]): Promise<void> => {
    const { port1, port2 } = new MessageChannel();
    const answer = once(port1, 'message');
    emit({ claimed, port: port2 }, [port2]);
    const [error] = (await answer) as [FileError | undefined];
    port1.close();
    if (error) throw new TickhaulError(error.code, error.message, error);
  };
  return runExportJob(job, { files, store }, { onBytes: (...bytes) => emit({ bytes }), claim }, signal);
});
