import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import { toEntryOptions } from '../../../src/download/conversion/conversion-entry.js';
import type { ConvertSetting, Existing } from '../../../src/download/download-options.js';
import { selectionScope } from '../../../src/download/plan/plan-prefixes.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { tempDir } from '../../helpers/temp.js';
import { plan, RECORD } from './planning.js';

/** A record of four bytes. */
function recordOf(path: string, day: string): ManifestRecord {
  return {
    file: { exchange: 'deribit', dataType: 'trades', symbol: 'BTC-PERPETUAL', day: parseDay(day) },
    path,
    bytes: 4,
    md5: '0'.repeat(32),
    sha256: '0'.repeat(64),
    md5Match: null,
    rows: 0,
    time: '2024-03-10T00:00:00.000Z',
    version: '0.0.0',
  };
}

test('existing files may be recorded, unknown, of another size, or partial', async (t) => {
  const dir = await tempDir(t);
  const name = (day: string): string => `deribit_trades_${day}_BTC-PERPETUAL.csv.gz`;
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  for (const day of ['2024-03-04', '2024-03-05', '2024-03-06']) {
    await manifest.append(recordOf(name(day), day));
  }
  await manifest.close();
  await writeFile(join(dir, name('2024-03-04')), 'four');
  await writeFile(join(dir, name('2024-03-05')), 'three');
  await writeFile(join(dir, name('2024-03-07')), 'unknown');
  await writeFile(join(dir, `${name('2024-03-08')}.part`), 'begun');
  const range = { from: '2024-03-04', to: '2024-03-10' };
  const found = async (existing: Existing): Promise<unknown[]> =>
    [...(await plan(t, range, { dir, existing })).files()]
      .sort((a, b) => a.file.day - b.file.day)
      .map((p) => `${p.status} ${p.action}`);
  assert.deepEqual(await found('skip'), [
    'skip nothing',
    'download fetch',
    'download fetch',
    'skip adopt',
    'resume fetch',
    'download fetch',
  ]);
  assert.deepEqual((await found('verify')).slice(0, 2), ['skip check', 'skip check']);
  assert.deepEqual((await found('overwrite')).slice(0, 2), ['download fetch', 'download fetch']);
});

test('states of a CSV and its conversion for each setting', async (t) => {
  const dir = await tempDir(t);
  const options = createOutputOptions('parquet', {});
  const stem = 'deribit_trades_2024-03-04_BTC-PERPETUAL';
  const path = `${stem}.csv.gz`;
  const output = `${stem}.parquet`;
  const entry = { path: output, bytes: 3, sha256: 'f'.repeat(64), rows: 0, options: toEntryOptions(options) };
  const record = recordOf(path, '2024-03-04');
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  const keep: ConvertSetting = { options, keepCsv: true, threads: 1 };
  const drop = { ...keep, keepCsv: false };
  const other = { ...drop, options: createOutputOptions('parquet', { compression: 'gzip' }) };
  const wanted: readonly (ConvertSetting | undefined)[] = [undefined, keep, drop, other];
  const found = async (existing: Existing = 'skip'): Promise<string> => {
    const reported = wanted.map(async (convert) => {
      const { files } = await plan(
        t,
        { date: ['2024-03-04'] },
        { dir, existing, ...(convert && { convert }) },
      );
      const [planned] = [...files()];
      assert.deepEqual(planned?.outputs, convert ? [{ path: output, type: undefined }] : []);
      return planned?.action;
    });
    return (await Promise.all(reported)).join(' ');
  };
  assert.equal(await found(), 'fetch fetch fetch fetch');
  await writeFile(join(dir, path), 'four');
  assert.equal(await found(), 'adopt adopt adopt adopt');
  await manifest.append(record);
  assert.equal(await found(), 'nothing check check check');
  await manifest.append({ ...record, conversions: [entry] });
  assert.equal(await found(), 'nothing check check check', 'recorded and gone');
  await writeFile(join(dir, output), 'cut off');
  assert.equal(await found(), 'nothing check check check', 'recorded and of another size');
  await writeFile(join(dir, output), 'out');
  assert.equal(await found(), 'nothing nothing drop check');
  assert.equal(await found('verify'), 'check check check check');
  assert.equal(await found('overwrite'), 'fetch fetch fetch fetch');
  await manifest.append({ ...record, conversions: [entry], dropped: true });
  assert.equal(await found(), 'check check drop check', 'recorded as dropped and still there');
  await rm(join(dir, path));
  assert.equal(await found(), 'fetch fetch nothing fetch');
  assert.equal(await found('verify'), 'fetch fetch check fetch');
  assert.equal(await found('overwrite'), 'fetch fetch fetch fetch');
  await manifest.append({ ...record, conversions: [entry] });
  assert.equal(await found(), 'fetch fetch nothing fetch', 'a CSV that somebody deleted');
  await manifest.close();
});

test('looks for records at all possible paths: everywhere for a layout function', () => {
  const selection = {
    exchange: 'deribit',
    types: ['trades'],
    symbols: ['BTC-PERPETUAL'],
    date: ['2024-03-01'],
  };
  assert.deepEqual(selectionScope({ ...selection, layout: 'hive' }, RECORD).exchanges, ['deribit']);
  assert.deepEqual(
    selectionScope({ ...selection, layout: ({ symbol, date }) => `${symbol}/${date}` }, RECORD),
    {},
  );
});
