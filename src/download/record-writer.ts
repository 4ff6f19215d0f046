import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestRecord } from '../store/manifest-record.js';

/**
 * The records of a run on their way to the manifest, where they may wait to be written with others. Where none can come,
 * they are written at once.
 */
export interface RecordWriter {
  /** To be called when a file is begun, and when it has ended. */
  onFileStart(): void;
  onFileEnd(): void;
  /** Resolves when the record stands. @throws as the manifest does. */
  append(record: ManifestRecord): Promise<void>;
}

export function createRecordWriter(manifest: Pick<Manifest, 'append' | 'flush'>): RecordWriter {
  let open = 0;
  let waiting = 0;
  const look = (): void => {
    if (waiting > 0 && waiting === open) void manifest.flush();
  };
  return {
    onFileStart() {
      open++;
    },
    onFileEnd() {
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
