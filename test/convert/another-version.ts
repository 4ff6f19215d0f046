import { readFile, writeFile } from 'node:fs/promises';
import { dataTypeColumns } from '../../src/day-files/data-types.js';
import { readParquetFooter } from '../../src/format/parquet/parquet-footer.js';
import { toParquetColumns } from '../../src/format/parquet/parquet-schema.js';
import { createParquetWriter } from '../../src/format/parquet/parquet-writer.js';
import { openFiles } from '../../src/store/open-files.js';

const OTHER_VERSION = '0.1';

/** Writes a converted day without rows again, with the output version of another build. */
export async function setOtherParquetVersion(parquet: string): Promise<void> {
  const file = await openFiles(undefined).openRandom(parquet, new AbortController().signal);
  const { keyValues } = await readParquetFooter(file, parquet);
  await file.close();
  const pieces: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()) };
  const schema = dataTypeColumns('trades') ?? [];
  const columns = toParquetColumns(schema, { numbers: 'double', times: 'timestamp' });
  const writer = createParquetWriter(sink, columns, 'none');
  await writer.finish({ ...keyValues, 'tickhaul.output_version': OTHER_VERSION });
  await writeFile(parquet, Buffer.concat(pieces));
}

/** Sets another output version in all lines of a folder's `.tickhaul/conversions.jsonl`. */
export async function setOtherNoteVersion(notes: string): Promise<void> {
  const text = await readFile(notes, 'utf8');
  await writeFile(notes, text.replaceAll('{"path"', `{"tickhaul.output_version":"${OTHER_VERSION}","path"`));
}

/** Sets another output version in all conversions of a `.tickhaul/manifest.jsonl`. */
export async function setOtherManifestVersion(manifest: string): Promise<void> {
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replaceAll('"options":{', `"version":"${OTHER_VERSION}","options":{`));
}
