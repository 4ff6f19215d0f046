import type { ServiceClient } from '../service/http/service-client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { FolderPool, type OpenDestination } from './folder-pool.js';
import { runSlice, type SliceWork, type SliceWorkContext } from './run-slice.js';
import { toDownloadOptions } from './slice-job.js';
import { SliceResources } from './slice-resources.js';

export interface SliceWorkInput {
  readonly client: ServiceClient;
  readonly openDestination: OpenDestination;
  readonly owner: () => LockOwner;
  /** Threads for conversions. */
  readonly threads: number;
}

/** Creates the work of a queue: downloads the missing files of each slice to their destination. */
export function createSliceWork({ client, openDestination, owner, threads }: SliceWorkInput) {
  return ({ pause, emit, stopStarting }: SliceWorkContext): SliceWork => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const resources = new SliceResources(client, { pause, stopStarting }, warn);
    const folders = new FolderPool(openDestination, owner, warn, stopStarting);
    return {
      async run(job, signal) {
        const { canRequest } = await resources.getKeyCoverage();
        const transfers = resources.getTransferLimits(job.options);
        return folders.use(job, (folder) =>
          runSlice({
            job,
            folder,
            client,
            canRequest,
            options: toDownloadOptions(job, threads),
            transfers,
            emit,
            signal,
            stopStarting,
          }),
        );
      },
      close: () => folders.close(),
    };
  };
}
