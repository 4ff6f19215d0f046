import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestRecord } from '../store/types.js';

/**
 * The records of a run on their way to the manifest, where they may wait to be written with others. Where none can come,
 * they are written at once.
 */
export interface Recording {
  /** To be called when a file is begun, and when it has ended. */
  begun(): void;
  ended(): void;
  /** Resolves when the record stands. @throws as the manifest does. */
  append(record: ManifestRecord): Promise<void>;
}

export function createRecording(manifest: Pick<Manifest, 'append' | 'flush'>): Recording {
  let open = 0;
  let waiting = 0;
  const look = (): void => {
    if (waiting > 0 && waiting === open) void manifest.flush();
  };
  return {
    begun() {
      open++;
    },
    ended() {
      open--;
      look();
    },
    async append(record) {
      const written = manifest.append(record);
      waiting++;
      look();
      try {
        await written;
      } finally {
        waiting--;
      }
    },
  };
}
