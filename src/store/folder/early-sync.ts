import type { FileHandle } from 'node:fs/promises';

/** So many bytes are given to the disk while more are made. */
const SYNC_STEP_BYTES = 32_000_000;

export interface EarlySync {
  /** Told of so many more bytes. */
  onWritten(bytes: number): void;
  /** Resolves when nothing is under way. @throws the system's error of any sync so far: none tells it again. */
  end(): Promise<void>;
}

/** Brings what is written to the disk meanwhile, so that little is left for the sync at the end. */
export function createEarlySync(handle: FileHandle): EarlySync {
  let fresh = 0;
  let underWay: Promise<void> | undefined;
  let failure: unknown;
  return {
    onWritten(bytes) {
      fresh += bytes;
      if (fresh < SYNC_STEP_BYTES || underWay) return;
      fresh = 0;
      underWay = handle.datasync().then(
        () => {
          underWay = undefined;
        },
        (error: unknown) => {
          failure ??= error;
        },
      );
    },
    async end() {
      await underWay;
      if (failure !== undefined) throw failure;
    },
  };
}
