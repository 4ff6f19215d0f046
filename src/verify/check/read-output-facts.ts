import { readParquetFooter } from '../../format/parquet/parquet-footer.js';
import { readNdjsonText } from '../../inspect/ndjson-text.js';
import { countLines } from '../../integrity/count-lines.js';
import type { Files } from '../../store/files.js';
import type { FileObservation } from '../file-check.js';

/** @throws TickhaulError `corrupt` if the footer is incomplete; `disk`. */
export async function readParquetFacts(
  location: string,
  files: Files,
  signal?: AbortSignal,
): Promise<Pick<FileObservation, 'rows' | 'keyValues'>> {
  const file = await files.openRandom(location, signal);
  const { rows, keyValues } = await readParquetFooter(file, location).finally(() => file.close());
  return { rows, keyValues };
}

/** Reads `.ndjson`, `.ndjson.gz` or `.ndjson.zst` to its end. @throws TickhaulError `corrupt`, `disk`. */
export async function readNdjsonFacts(
  location: string,
  files: Files,
  signal: AbortSignal = new AbortController().signal,
): Promise<Pick<FileObservation, 'rows'>> {
  let rows = 0;
  const onText = (text: Buffer): void => {
    rows += countLines(text);
  };
  await readNdjsonText(location, onText, signal, files.read);
  return { rows };
}
