import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestRecord } from '../store/manifest-record.js';

/**
 * Appends the records of a run to the manifest, which batches them. If all running files wait for their records, they are
 * flushed at once.
 */
export interface RecordWriter {
  /** Call it when a file is started, and when it has ended. */
  onFileStart(): void;
  onFileEnd(): void;
  /** Resolves when the record is stored. @throws like the manifest. */
  append(record: ManifestRecord): Promise<void>;
}

export function createRecordWriter(manifest: Pick<Manifest, 'append' | 'flush'>): RecordWriter {
  let runningFiles = 0;
  let waitingRecords = 0;
  const flushIfAllWait = (): void => {
    if (waitingRecords > 0 && waitingRecords === runningFiles) void manifest.flush();
  };
  return {
    onFileStart() {
      runningFiles++;
    },
    onFileEnd() {
      runningFiles--;
      flushIfAllWait();
    },
    async append(record) {
      const written = manifest.append(record);
      waitingRecords++;
      flushIfAllWait();
      try {
        await written;
      } finally {
        waitingRecords--;
      }
    },
  };
}
