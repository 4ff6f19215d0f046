import type { ServiceClient } from '../service/http/service-client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { type OpenDestination, OpenFolders } from './open-folders.js';
import { runSlice, type SliceWork, type SliceWorkContext } from './run-slice.js';
import { SharedBySlices } from './shared-by-slices.js';

export interface DownloadSlicesInput {
  readonly client: ServiceClient;
  readonly openDestination: OpenDestination;
  readonly owner: () => LockOwner;
  /** That this worker converts with. */
  readonly threads: number;
}

/** The work that a queue is there for: what is missing of each slice is brought to where it belongs. */
export function createSliceDownloads({ client, openDestination, owner, threads }: DownloadSlicesInput) {
  return ({ pause, emit, stopStarting }: SliceWorkContext): SliceWork => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const shared = new SharedBySlices(client, openDestination, { pause, stopStarting }, warn);
    const folders = new OpenFolders(openDestination, owner, warn, stopStarting);
    return {
      async run(job, signal) {
        const [{ canRequest }, pin] = await Promise.all([shared.reachOfKey(), shared.pinOf(job)]);
        const transfers = shared.transfersOf(job.options);
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
            noMore: stopStarting,
          }),
        );
      },
      close: () => folders.close(),
    };
  };
}
