import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../../src/base/errors.js';
import { parseDay } from '../../../../src/day-files/day.js';
import type { ManifestScopes } from '../../../../src/store/manifest/manifest.js';
import { formatSegmentLine } from '../../../../src/store/s3/bucket-manifest/newest-records.js';
import { openStoreManifest } from '../../../../src/store/s3/bucket-manifest/store-manifest.js';
import { MemoryBucket, type RequestGate } from '../../../helpers/memory-store.js';
import { createTestRecord, toTestPath } from '../../manifest/records.js';
import { fileOn, MONTH, open, paths, ROOT, write } from './manifests.js';

test('records appended together form one segment per month', async () => {
  const bucket = new MemoryBucket();
  const first = await open(bucket.client());
  assert.equal(first.size, 0);
  const trades = ['2022-01-01', '2022-01-31', '2022-02-01'].map((day) => fileOn(day));
  await write(first, ...trades, fileOn('2022-02-01', 'quotes'));
  const names = bucket.keys().map((key) => key.slice(ROOT.length));
  assert.equal(names.length, 3);
  for (const name of names)
    assert.match(
      name,
      /^binance\/(trades\/2022-0[12]|quotes\/2022-02)\/\d{8}T\d{9}Z-[0-9a-f]{12}-[123]\.jsonl$/,
    );
  await first.close();
  assert.equal(bucket.keys().length, 3);
});

test('an append resolves only when its segment is stored', async () => {
  const bucket = new MemoryBucket();
  let letGo = (): void => {};
  const gate: RequestGate = async ({ name }) => {
    if (name === 'put')
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
  };
  const manifest = await open(bucket.client(gate));
  let isAppended = false;
  const appended = manifest.append(createTestRecord('a')).then(() => {
    isAppended = true;
  });
  const flushed = manifest.flush();
  await new Promise(setImmediate);
  assert.deepEqual([isAppended, manifest.has(toTestPath('a'))], [false, false]);
  letGo();
  await new Promise(setImmediate);
  letGo();
  await Promise.all([appended, flushed]);
  assert.deepEqual([manifest.has(toTestPath('a')), bucket.keys().length], [true, 1]);
});

test('500 records are written without a flush, and closing writes the rest', async () => {
  const bucket = new MemoryBucket();
  const manifest = await open(bucket.client());
  const appends = Array.from({ length: 700 }, (_, n) => manifest.append(createTestRecord(`${n}`)));
  await Promise.all(appends.slice(0, 500));
  assert.equal(manifest.size, 500);
  await manifest.close();
  await Promise.all(appends);
  assert.deepEqual([manifest.size, bucket.keys().length], [700, 2]);
});

test('a segment that cannot be put fails its appends, and later ones are attempted', async () => {
  const bucket = new MemoryBucket();
  let isDown = true;
  const manifest = await open(
    bucket.client(async ({ name }) => {
      if (name === 'put' && isDown) throw new Error('down');
    }),
  );
  const refused = assert.rejects(manifest.append(createTestRecord('a')), /down/);
  await manifest.flush();
  await refused;
  isDown = false;
  await write(manifest, createTestRecord('b'));
  assert.deepEqual(paths(manifest), ['b']);
});

test('the record that was written last counts, however wrong the clocks are', async () => {
  const bucket = new MemoryBucket();
  const at = (clock: number) =>
    openStoreManifest(bucket.client(), 'data/', { warn: assert.fail, clock: () => clock });
  await write(await at(Date.UTC(2030, 0)), createTestRecord('a', 1));
  await write(await at(0), createTestRecord('a', 2));
  const third = await at(Date.UTC(2020, 0));
  assert.equal(third.get(toTestPath('a'))?.rows, 2);
  await write(third, createTestRecord('a', 3), createTestRecord('a', 4));
  assert.equal((await at(0)).get(toTestPath('a'))?.rows, 4);
  const fourth = await at(0);
  await write(await at(Date.UTC(2040, 0)), createTestRecord('a', 5));
  assert.equal((await fourth.reread()).get(toTestPath('a'))?.rows, 5);
  await write(fourth, createTestRecord('a', 6));
  assert.equal(
    (await at(0)).get(toTestPath('a'))?.rows,
    6,
    'newer than what others wrote since it was opened',
  );
});

test('a scope reads only the months that it overlaps', async () => {
  const bucket = new MemoryBucket();
  const all = [
    ...['2022-01-31', '2022-02-01', '2022-02-28', '2022-03-01', '2023-02-01'].map((day) => fileOn(day)),
    fileOn('2022-02-01', 'quotes'),
    fileOn('2022-02-01', 'trades', 'deribit'),
  ];
  await write(await open(bucket.client()), ...all);
  const read = async (scope: ManifestScopes): Promise<readonly string[]> => {
    const got: string[] = [];
    const store = bucket.client(async ({ name, key }, moment) => {
      if (name === 'get' && moment === 'before') got.push(key);
    });
    const found = paths(await open(store, scope));
    assert.equal(got.length, new Set(found.map((path) => path.slice(0, -'-DD'.length))).size);
    return found;
  };
  const [from, to] = [parseDay('2022-02-10'), parseDay('2022-03-01')];
  const february = ['binance/trades/2022-02-01', 'binance/trades/2022-02-28'];
  assert.deepEqual(await read({ exchanges: ['binance'], dataTypes: ['trades'], from, to }), february);
  assert.deepEqual(await read({ dataTypes: ['quotes'] }), ['binance/quotes/2022-02-01']);
  assert.deepEqual(await read({ exchanges: ['deribit'] }), ['deribit/trades/2022-02-01']);
  assert.deepEqual(await read({ exchanges: ['binance'], dataTypes: ['trades'], from: to }), [
    'binance/trades/2022-03-01',
    'binance/trades/2023-02-01',
  ]);
  assert.deepEqual(await read({ exchanges: ['binance'], dataTypes: ['quotes', 'trades'], from, to }), [
    'binance/quotes/2022-02-01',
    ...february,
  ]);
  assert.equal((await read({})).length, all.length);
  const twoScopes = [
    { exchanges: ['binance'], dataTypes: ['trades'], from: to, to: parseDay('2022-04-01') },
    { exchanges: ['deribit'], dataTypes: ['trades'] },
  ];
  assert.deepEqual(await read(twoScopes), ['binance/trades/2022-03-01', 'deribit/trades/2022-02-01']);
  const overlapping = [
    { exchanges: ['binance'], dataTypes: ['trades'], from, to },
    { exchanges: ['binance'] },
  ];
  assert.equal((await read(overlapping)).length, all.length - 1);
  assert.deepEqual(await read([]), []);
  assert.deepEqual(await read({ exchanges: ['binance'], dataTypes: ['trades'], from, to: from }), []);
});

test('a record written after the year 9999 is damaged, and the next one replaces it', async () => {
  const record = fileOn('2022-01-01');
  for (const written of [Number.MAX_SAFE_INTEGER, 8.64e15, 253_402_300_800_000]) {
    const bucket = new MemoryBucket();
    const key = `${ROOT}${MONTH}20220101T000000000Z-other-1.jsonl`;
    await bucket.client().put(key, Buffer.from(`${formatSegmentLine({ record, written })}\n`));
    const warnings: string[] = [];
    const manifest = await open(bucket.client(), undefined, warnings);
    assert.equal(manifest.size, 0);
    await write(manifest, { ...record, bytes: 7 });
    await manifest.close();
    const again = await open(bucket.client(), undefined, warnings);
    assert.equal(again.get(record.path)?.bytes, 7);
    const warning = `s3://bucket/${key}: skipped 1 damaged line, the first is line 1`;
    assert.deepEqual(warnings, [warning, warning]);
  }
});

test('damaged lines and paths outside the layouts are reported by object, and skipped', async () => {
  const bucket = new MemoryBucket();
  const good = formatSegmentLine({ record: createTestRecord('good'), written: 1 });
  const outside = formatSegmentLine({ record: createTestRecord('../x'), written: 1 });
  const own = formatSegmentLine({ record: createTestRecord('.tickhaul/x'), written: 1 });
  const other = ['__proto__', 'a\u0007b.csv.gz'].map((path) =>
    formatSegmentLine({ record: { ...createTestRecord('x'), path }, written: 1 }),
  );
  const unwritten = JSON.stringify({ ...JSON.parse(good), written: undefined });
  const key = `${ROOT}${MONTH}20220101T000000000Z-run-1.jsonl`;
  bucket.write(key, ['{', good, outside, 'null', own, unwritten, ...other].join('\n'));
  bucket.write(`${ROOT}${MONTH}notes.txt`, 'not of the manifest');
  const warnings: string[] = [];
  assert.deepEqual(paths(await open(bucket.client(), {}, warnings)), ['good']);
  assert.deepEqual(warnings, [
    `s3://bucket/${key}: skipped 3 damaged lines, the first is line 1`,
    `s3://bucket/${key}: skipped 4 records with a path that no day file in this folder has, the first is line 3`,
  ]);
});

test('returns lines and characters unchanged if an object is read in pieces', async () => {
  const bucket = new MemoryBucket();
  const names = Array.from({ length: 40 }, (_, n) => `${n}€${'漢'.repeat(300_000)}`);
  const lines = names.map((name) => formatSegmentLine({ record: createTestRecord(name), written: 1 }));
  bucket.write(`${ROOT}${MONTH}20220101T000000000Z-run-1.jsonl`, lines.join('\n'));
  assert.deepEqual(paths(await open(bucket.client())), names.sort());
});

test('a run that ends early has some seconds to write its records, and compacts nothing', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 50; n++) await write(await open(bucket.client()), createTestRecord(`${n}`));
  const silent = (): Promise<never> => new Promise(() => {});
  const down = (): Promise<never> => Promise.reject(new TickhaulError('store_down', 'gave up'));
  for (const answer of [silent, down]) {
    const asked: string[] = [];
    let isDown = false;
    const gate: RequestGate = async ({ name }, moment) => {
      if (moment === 'before') asked.push(name);
      if (isDown) await answer();
    };
    const options = { warn: assert.fail, shutdownTimeoutMs: 1 };
    const manifest = await openStoreManifest(bucket.client(gate), 'data/', options);
    await write(manifest, createTestRecord('stands'));
    isDown = true;
    asked.length = 0;
    const appended = assert.rejects(manifest.append(createTestRecord('late')), { code: 'store_down' });
    if (answer === silent) manifest.flushSoon();
    await manifest.close();
    await appended;
    assert.deepEqual([asked, manifest.has(toTestPath('late'))], [['put'], false]);
  }
});

test('flushSoon after all records are stored does not keep the process alive', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const manifest = await open(new MemoryBucket().client());
  await write(manifest, createTestRecord('stands'));
  await manifest.close();
  const before = timers();
  manifest.flushSoon();
  assert.equal(timers(), before);
});

test('an abort ends reading with its reason', async () => {
  const bucket = new MemoryBucket();
  await write(await open(bucket.client()), createTestRecord('a'));
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(openStoreManifest(bucket.client(), 'data/', { warn: assert.fail, signal }), /enough/);
});
