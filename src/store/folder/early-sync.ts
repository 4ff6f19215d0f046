import type { FileHandle } from 'node:fs/promises';

/** A sync starts after this many new bytes. */
const SYNC_STEP_BYTES = 32_000_000;

export interface EarlySync {
  /** Adds to the number of written bytes. */
  onWritten(bytes: number): void;
  /**
   * Waits for the running sync.
   * @throws the error of any sync so far, which a later sync would not report again.
   */
  end(): Promise<void>;
}

/** Syncs a file while it is still being written, so that the final sync is short. */
export function createEarlySync(handle: FileHandle): EarlySync {
  let unsyncedBytes = 0;
  let running: Promise<void> | undefined;
  let failure: unknown;
  return {
    onWritten(bytes) {
      unsyncedBytes += bytes;
      if (unsyncedBytes < SYNC_STEP_BYTES || running) return;
      unsyncedBytes = 0;
      running = handle.datasync().then(
        () => {
          running = undefined;
        },
        (error: unknown) => {
          failure ??= error;
        },
      );
    },
    async end() {
      await running;
      if (failure !== undefined) throw failure;
    },
  };
}
