import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseDay } from '../../src/day-files/day.js';
import type { RunEvent } from '../../src/events/run-events.js';
import { type ExportRecord, removeFormerOutput } from '../../src/export/export-log.js';
import { ClaimOrder, OutputClaims } from '../../src/export/export-run.js';
import type { ExportJob } from '../../src/export/export-target.js';
import { openFiles } from '../../src/store/open-files.js';
import { tempDir } from '../helpers/temp.js';

const DAY = '2024-03-01';

function job(symbol: string, day = DAY): ExportJob {
  const file = { exchange: 'bitmex', dataType: 'trades', symbol, day: parseDay(day) };
  const key = `trade_tick/bitmex/${symbol}/${day}`;
  return { target: 'nautilus', key, sources: [{ path: `/days/${symbol}.csv.gz`, file }], settings: {} };
}

function recordOf({ target, key }: ExportJob): ExportRecord {
  const file = { outputVersion: 1, settings: {}, sources: [], outputs: [] };
  return { target, key, ...file, time: new Date(0).toISOString(), version: '0.1.0' };
}

function claim(claims: OutputClaims, job: ExportJob, paths: readonly string[]): Promise<void> {
  return claims.claim(
    job,
    paths.map((path) => ({ path })),
  );
}

const exists = async (): Promise<boolean> => true;
const RULES = { hasDays: true, replacesEarlier: false, exists };

test('a refused job leaves its other outputs to others', async () => {
  const claims = new OutputClaims(RULES);
  await claim(claims, job('ETHUSD'), ['data/eth/1_2.parquet']);
  const group = ['data/xbt/1_9.parquet', 'data/eth/1_9.parquet'];
  await assert.rejects(claim(claims, job('PERPETUALS'), group), {
    code: 'usage',
    message:
      'data/eth/1_2.parquet: both ETHUSD.csv.gz and PERPETUALS.csv.gz give this data; select one with -s or -t',
  });
  await claim(claims, job('XBTUSD'), ['data/xbt/3_4.parquet']);
  await claim(claims, job('PERPETUALS', '2024-03-02'), group);
});

test('a refused job keeps its outputs of an earlier run, which still exist', async () => {
  const claims = new OutputClaims(RULES);
  claims.addEarlier('data/xbt/1_2.parquet', recordOf(job('PERPETUALS')));
  await claim(claims, job('ETHUSD'), ['data/eth/1_2.parquet']);
  const group = ['data/xbt/1_9.parquet', 'data/eth/1_9.parquet'];
  await assert.rejects(claim(claims, job('PERPETUALS'), group), /both ETHUSD/);
  await assert.rejects(claim(claims, job('XBTUSD'), ['data/xbt/3_4.parquet']), /was exported before/);
});

test('of two jobs that claim the same outputs at the same time, one gets all of them', async () => {
  const claims = new OutputClaims({ ...RULES, exists: async () => false });
  for (const path of ['a/1.parquet', 'b/1.parquet']) claims.addEarlier(path, recordOf(job('OLD')));
  const results = await Promise.allSettled([
    claim(claims, job('A'), ['a/1.parquet', 'b/1.parquet']),
    claim(claims, job('B'), ['b/1.parquet', 'a/1.parquet']),
  ]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a job may claim its own outputs again, and those of an earlier run that were deleted', async () => {
  const existing = new Set(['data/xbt/1_2.parquet']);
  const claims = new OutputClaims({ ...RULES, exists: async (path) => existing.has(path) });
  for (const path of ['data/xbt/1_2.parquet', 'data/eth/1_2.parquet'])
    claims.addEarlier(path, recordOf(job('PERPETUALS')));
  await assert.rejects(claim(claims, job('XBTUSD'), ['data/xbt/1_3.parquet']), /was exported before/);
  await claim(claims, job('ETHUSD'), ['data/eth/1_3.parquet']);
  await claim(claims, job('ETHUSD'), ['data/eth/1_4.parquet']);
  await assert.rejects(claim(claims, job('PERPETUALS'), ['data/eth/1_2.parquet']), /both ETHUSD/);
});

test('without folders of days, only equal paths are refused, also those of an earlier run', async () => {
  const claims = new OutputClaims({ ...RULES, hasDays: false });
  claims.addEarlier('a.npz', recordOf(job('A')));
  await assert.rejects(claim(claims, job('B'), ['b.npz', 'a.npz']), {
    code: 'usage',
    message:
      'a.npz: both trade_tick/bitmex/A/2024-03-01 and B.csv.gz give this data, and the first was exported before; leave out the second, write it to another folder, or replace the first with export --existing overwrite',
  });
  await claim(claims, job('A'), ['a.npz', 'b.npz']);
  await claim(claims, job('C'), ['c.npz']);
  await assert.rejects(claim(claims, job('D'), ['b.npz']), { code: 'usage' });
  claims.release(job('A'));
  await claim(claims, job('D'), ['b.npz']);
});

test('a job that replaces earlier outputs displaces those with other names, but none of its own run', async () => {
  const claims = new OutputClaims({ ...RULES, replacesEarlier: true });
  for (const path of ['data/xbt/1_2.parquet', 'data/eth/1_2.parquet'])
    claims.addEarlier(path, recordOf(job('PERPETUALS')));
  const paths = ['data/xbt/1_2.parquet', 'data/eth/1_3.parquet'];
  await claim(claims, job('XBTUSD'), paths);
  assert.deepEqual(claims.listDisplaced(job('XBTUSD'), new Set(paths)), ['data/eth/1_2.parquet']);
  assert.deepEqual(claims.listDisplaced(job('PERPETUALS'), new Set(paths)), []);
  await assert.rejects(claim(claims, job('PERPETUALS'), ['data/xbt/1_2.parquet']), /select one with/);
});

test('with folders of days, equal paths are refused also for other days', async () => {
  const claims = new OutputClaims(RULES);
  claims.addEarlier('data/eth/1_2.parquet', recordOf(job('ETHUSD', '2024-03-02')));
  await claim(claims, job('XBTUSD'), ['data/xbt/1_2.parquet']);
  await assert.rejects(claim(claims, job('XBTUSD', '2024-03-09'), ['data/xbt/1_2.parquet']), /select one/);
  await assert.rejects(claim(claims, job('ETHUSD'), ['data/eth/1_2.parquet']), /was exported before/);
});

function jobAt(symbol: string, place: string | undefined): ExportJob {
  const file = { exchange: 'bitmex', dataType: 'trades', symbol, day: parseDay('2024-03-01') };
  return { target: 'nautilus', key: symbol, place, sources: [{ path: symbol, file }], settings: {} };
}

test('a grouped symbol and symbols of one place start when the earlier ones of the other kind have ended', async () => {
  const order = new ClaimOrder();
  const started: string[] = [];
  const add = (name: string, symbol: string, place?: string): (() => void) => {
    const { start, end } = order.add(jobAt(symbol, place));
    void start.then(() => started.push(name));
    return end;
  };
  const takeStarted = async (): Promise<readonly string[]> => {
    await setImmediate();
    return started.splice(0);
  };
  const endFirst = add('first', 'ETHUSD', 'day 1');
  const endSecond = add('second', 'SOLUSD', 'day 1');
  const endGroup = add('group', 'PERPETUALS', 'day 1');
  add('other group', 'FUTURES', 'day 2');
  add('last', 'XBTUSD', 'day 1');
  add('anywhere', 'PERPETUALS');
  assert.deepEqual((await takeStarted()).toSorted(), ['anywhere', 'first', 'other group', 'second']);
  endSecond();
  assert.deepEqual(await takeStarted(), []);
  endFirst();
  assert.deepEqual(await takeStarted(), ['group']);
  endGroup();
  assert.deepEqual(await takeStarted(), ['last']);
});

test('an output of a former export is removed, but not one of the same size with other bytes', async (t) => {
  const folder = await tempDir(t);
  const events: RunEvent[] = [];
  const { signal } = new AbortController();
  const context = { files: openFiles(), emit: (event: RunEvent) => void events.push(event), signal };
  const sha256 = createHash('sha256').update('recorded').digest('hex');
  const remove = async (name: string, text: string): Promise<readonly string[]> => {
    await writeFile(join(folder, name), text);
    await removeFormerOutput(join(folder, name), { path: name, bytes: 8, sha256, rows: 1 }, context);
    return readdir(folder);
  };
  assert.deepEqual(await remove('former', 'recorded'), []);
  assert.deepEqual(await remove('changed', 'RECORDED'), ['changed']);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['note', 'warning'],
  );
});
