import type { Client } from '../service/http/client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { type OpenDestination, OpenFolders } from './open-folders.js';
import { SharedBySlices } from './shared-by-slices.js';
import { type SliceWork, type SliceWorkContext, workSlice } from './work-slice.js';

export interface DownloadSlicesInput {
  readonly client: Client;
  readonly openDestination: OpenDestination;
  readonly owner: () => LockOwner;
  /** That this worker converts with. */
  readonly threads: number;
}

/** The work that a queue is there for: what is missing of each slice is brought to where it belongs. */
export function downloadSlices({ client, openDestination, owner, threads }: DownloadSlicesInput) {
  return ({ pause, emit, noMore }: SliceWorkContext): SliceWork => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const shared = new SharedBySlices(client, openDestination, { pause, noMore }, warn);
    const folders = new OpenFolders(openDestination, owner, warn, noMore);
    return {
      async workOn(job, signal) {
        const [{ mayRead }, pin] = await Promise.all([shared.reachOfKey(), shared.pinOf(job)]);
        const transfers = shared.transfersOf(job.options);
        return folders.use(job, (folder) =>
          workSlice({ job, pin, folder, client, mayRead, threads, transfers, emit, signal, noMore }),
        );
      },
      close: () => folders.close(),
    };
  };
}
