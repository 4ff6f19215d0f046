import assert from 'node:assert/strict';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AuditLog, type AuditRecord, CHECKS_VERSION } from '../../src/audit/audit-log.js';
import { DEFAULT_THRESHOLDS } from '../../src/audit/content-check.js';
import { ExportLog, type ExportRecord } from '../../src/export/export-log.js';
import { mergeFolders } from '../../src/operations/merge-folders.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { downloadDays, resultsOf, SERIES } from '../cli/export/exporting.js';
import { jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { namesIn, tempDir } from '../helpers/temp.js';

const { signal } = new AbortController();

/** Moves the files of a folder, without tickhaul's state. */
async function moveFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await namesIn(from)) await rename(join(from, name), join(to, name));
}

test('audits and exports of shards on several disks need not be repeated after a merge', async (t) => {
  const { dir, env } = await downloadDays(t, 3);
  const place = await tempDir(t);
  const [data, npz] = [join(place, 'data'), join(place, 'npz')];
  const disks = ['0/2', '1/2'].map((shard, i) => ({
    shard,
    data: join(place, `data-${i}`),
    npz: join(place, `npz-${i}`),
  }));
  const run = async (...words: readonly string[]) => {
    const finished = await succeeded(runHere(words, { env }));
    return finished;
  };
  for (const disk of disks) {
    const period = ['--from', '2024-03-01', '--to', '2024-03-04', '--shard', disk.shard, '-q'];
    await run('download', ...SERIES, ...period, '--dir', disk.data);
    await run('audit', '--dir', disk.data, '--offline');
    await run('export', 'hftbacktest', dir, '-o', disk.npz, '--shard', disk.shard);
    await moveFiles(disk.data, data);
    await moveFiles(disk.npz, npz);
  }
  const [first, second] = disks;
  const merge = async (key: 'data' | 'npz', target: string): Promise<unknown> => {
    const folders = [first?.[key] ?? '', second?.[key] ?? ''];
    return JSON.parse((await run('manifest', 'merge', ...folders, '--dir', target, '--json')).stdout);
  };
  assert.deepEqual(await merge('data', data), {
    ...{ path: data, records: 6, added: 6, changed: 0 },
    ...{ audits: 6, exports: 0 },
  });
  const audited = await run('audit', '--dir', data, '--offline', '--json');
  assert.equal(jsonLines(audited).at(-1)?.['bytes'], 0, 'no file is read again');
  assert.deepEqual(await merge('npz', npz), {
    ...{ path: npz, records: 0, added: 0, changed: 0 },
    // Arrays, their sizes and fees, and the script of each folder.
    ...{ audits: 0, exports: 3 + 3 + 2 },
  });
  const names = [1, 2, 3].map((day) => `deribit_2024-03-0${day}_BTC-PERPETUAL.npz`);
  assert.deepEqual(
    resultsOf(await run('export', 'hftbacktest', dir, '-o', npz, '--json'))[0],
    names.map((name) => `skipped ${name}`),
  );
  assert.deepEqual(
    resultsOf(await run('verify', npz, '--json'))[0],
    names.flatMap((name) => [`verified ${name.replace('npz', 'json')}`, `verified ${name}`]),
  );
  const again = await runHere(['manifest', 'merge', first?.npz ?? '', '--dir', npz], { env });
  assert.equal(again.stderr, `${npz}: 0 day files, 0 new, 0 changed\n`);
});

function exported(key: string, minute: number): ExportRecord {
  const time = new Date(minute * 60_000).toISOString();
  const output = { path: key, bytes: 1, sha256: 'a0', rows: minute };
  const version = '0.1.0';
  return {
    target: 'freqtrade',
    key,
    outputVersion: 1,
    settings: {},
    sources: [],
    outputs: [output],
    time,
    version,
  };
}

function audited(path: string, sha256: string): AuditRecord {
  const file = { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', date: '2024-03-01' };
  const times = { firstLocalTimestamp: null, lastLocalTimestamp: null, latencyMicroseconds: null };
  const content = { bytes: 1, sha256, version: undefined, rows: 0, symbols: 0, ...times };
  const checks = { checksVersion: CHECKS_VERSION, checks: {}, reasons: [] };
  return { path, ...file, ...content, ...DEFAULT_THRESHOLDS, ...checks };
}

test('the newest export counts, and of audits that of the target', async (t) => {
  const write = async (exports: readonly ExportRecord[], audits: readonly AuditRecord[]) => {
    const destination = openFolderDestination(await tempDir(t));
    const [exportLog, auditLog] = [
      await ExportLog.open(destination, signal),
      await AuditLog.open(destination, signal),
    ];
    for (const record of exports) await exportLog.add(record, signal);
    for (const record of audits) await auditLog.add(record, signal);
    await exportLog.write(signal);
    await auditLog.write(signal);
    return destination;
  };
  const a = await write([exported('old', 1), exported('new', 9)], [audited('x', 'a1'), audited('y', 'a2')]);
  const b = await write([exported('old', 2), exported('other', 1)], [audited('y', 'b2'), audited('z', 'b3')]);
  const target = await write([exported('old', 3), exported('new', 3)], [audited('x', 'c1')]);
  const summary = await mergeFolders({ folders: [a, b], target, warn: assert.fail, signal });
  assert.deepEqual(summary, { records: 0, added: 0, changed: 0, audits: 2, exports: 2 });
  const log = await ExportLog.open(target, signal);
  assert.deepEqual(
    ['old', 'new', 'other'].map((key) => log.find('freqtrade', key)?.outputs[0]?.rows),
    [3, 9, 1],
  );
  const audits = (await AuditLog.open(target, signal)).records();
  assert.deepEqual(
    ['x', 'y', 'z'].map((path) => audits.get(path)?.sha256),
    ['c1', 'a2', 'b3'],
  );
  const path = join(target.name, '.tickhaul', 'exports.jsonl');
  const text = await readFile(path, 'utf8');
  const again = await mergeFolders({ folders: [b, a], target, warn: assert.fail, signal });
  assert.deepEqual([again.audits, again.exports, await readFile(path, 'utf8')], [0, 0, text]);
});
