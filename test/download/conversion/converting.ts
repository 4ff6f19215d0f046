import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { OutputFormatName } from '../../../src/base/output-format-names.js';
import type { ConvertSetting } from '../../../src/download/download-options.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { cellsOf, parquetRows } from '../../convert/day-files.js';
import { NAME, type RunInput } from '../runs.js';

export const PARQUET = NAME.replace('csv.gz', 'parquet');

type Chosen = Parameters<typeof createOutputOptions>[1];

export function setting(format: OutputFormatName = 'parquet', chosen: Chosen = {}): ConvertSetting {
  return { options: createOutputOptions(format, chosen), keepCsv: true, threads: 2 };
}

export const converting = (
  convert: ConvertSetting = setting(),
  options: RunInput['options'] = {},
): RunInput => ({
  options: { convert, ...options },
});
export const dropping = (options: RunInput['options'] = {}): RunInput =>
  converting({ ...setting(), keepCsv: false }, options);

/** Requests to the dataset host during some work. */
export async function requested(service: Sandbox, work: () => Promise<unknown>): Promise<number> {
  const count = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
  const before = count();
  await work();
  return count() - before;
}

export async function recordOf(dir: string, path = NAME): Promise<ManifestRecord | undefined> {
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  await manifest.close();
  return manifest.get(path);
}

/** Checks that the Parquet file equals the CSV cell by cell, and that the manifest has its checksum. */
export async function assertConverted(dir: string, csv: Buffer, path = NAME): Promise<void> {
  const record = await recordOf(dir, path);
  const [entry] = record?.conversions ?? [];
  assert.equal(record?.conversions?.length, 1);
  const bytes = await readFile(join(dir, entry?.path ?? ''));
  assert.equal(entry?.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.equal(entry?.bytes, bytes.length);
  const expected = cellsOf(record?.file.dataType ?? '', gunzipSync(csv).toString());
  assert.equal(entry?.rows, expected.length);
  assert.deepEqual(await parquetRows(bytes), expected);
}
