import { readParquetFooter } from '../../format/parquet/footer.js';
import { readNdjsonText } from '../../inspect/ndjson-text.js';
import { countLines } from '../../integrity/count-lines.js';
import type { Files } from '../../store/files.js';
import type { Seen } from '../types.js';

/** @throws TickhaulError `corrupt` where there is no whole footer, `disk`. */
export async function seeParquet(location: string, files: Files): Promise<Pick<Seen, 'rows' | 'keyValues'>> {
  const file = await files.openRandom(location);
  const { rows, keyValues } = await readParquetFooter(file, location).finally(() => file.close());
  return { rows, keyValues };
}

/** Reads `.ndjson`, `.ndjson.gz` or `.ndjson.zst` to its end. @throws TickhaulError `corrupt`, `disk`. */
export async function seeNdjson(location: string, files: Files): Promise<Pick<Seen, 'rows'>> {
  let rows = 0;
  const takeText = (text: Buffer): void => {
    rows += countLines(text);
  };
  // Its thread is ended as a whole.
  await readNdjsonText(location, takeText, new AbortController().signal, files.read);
  return { rows };
}
