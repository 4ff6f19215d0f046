import type { ServiceClient } from '../service/http/service-client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { type OpenDestination, FolderPool } from './folder-pool.js';
import { runSlice, type SliceWork, type SliceWorkContext } from './run-slice.js';
import { SliceResources } from './slice-resources.js';

export interface SliceWorkInput {
  readonly client: ServiceClient;
  readonly openDestination: OpenDestination;
  readonly owner: () => LockOwner;
  /** That this worker converts with. */
  readonly threads: number;
}

/** The work that a queue is there for: what is missing of each slice is brought to where it belongs. */
export function createSliceWork({ client, openDestination, owner, threads }: SliceWorkInput) {
  return ({ pause, emit, stopStarting }: SliceWorkContext): SliceWork => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const shared = new SliceResources(client, openDestination, { pause, stopStarting }, warn);
    const folders = new FolderPool(openDestination, owner, warn, stopStarting);
    return {
      async run(job, signal) {
        const [{ canRequest }, pin] = await Promise.all([shared.getKeyCoverage(), shared.getPin(job)]);
        const transfers = shared.getTransferLimits(job.options);
        return folders.use(job, (folder) =>
          runSlice({
            job,
            pin,
            folder,
            client,
            mayRead: canRequest,
            threads,
            transfers,
            emit,
            signal,
            stopStarting: stopStarting,
          }),
        );
      },
      close: () => folders.close(),
    };
  };
}
