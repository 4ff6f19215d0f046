import { readFile, writeFile } from 'node:fs/promises';
import { columnsOf } from '../../../src/dataset/data-types.js';
import { readParquetFooter } from '../../../src/format/parquet/footer.js';
import { createParquetWriter } from '../../../src/format/parquet/writer.js';
import { openFiles } from '../../../src/store/open-files.js';

const ANOTHER = '0.1';

/** Writes a converted day without rows again, as a build with another version of its columns would have made it. */
export async function asOfAnotherVersion(parquet: string): Promise<void> {
  const file = await openFiles(undefined).openRandom(parquet, new AbortController().signal);
  const { keyValues } = await readParquetFooter(file, parquet);
  await file.close();
  const pieces: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()) };
  const schema = columnsOf('trades') ?? [];
  const writer = createParquetWriter(sink, {
    schema,
    compression: 'none',
    numbers: 'double',
    times: 'timestamp',
  });
  await writer.finish({ ...keyValues, 'tickhaul.output_version': ANOTHER });
  await writeFile(parquet, Buffer.concat(pieces));
}

/** The same for all lines of a folder's `.tickhaul/conversions.jsonl`. */
export async function notedAsOfAnotherVersion(notes: string): Promise<void> {
  const text = await readFile(notes, 'utf8');
  await writeFile(notes, text.replaceAll('{"path"', `{"tickhaul.output_version":"${ANOTHER}","path"`));
}

/** The same for all conversions of a `.tickhaul/manifest.jsonl`. */
export async function recordedAsOfAnotherVersion(manifest: string): Promise<void> {
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replaceAll('"options":{', `"version":"${ANOTHER}","options":{`));
}
