import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../../src/base/errors.js';
import type { Day } from '../../../../src/dataset/day.js';
import { parseDay } from '../../../../src/dataset/day.js';
import type { Manifest } from '../../../../src/store/manifest/manifest.js';
import type { ManifestScope } from '../../../../src/store/manifest/scope.js';
import { compactMonth } from '../../../../src/store/s3/manifest/compact-month.js';
import { openStoreManifest } from '../../../../src/store/s3/manifest/open-manifest.js';
import { formatSegmentLine } from '../../../../src/store/s3/manifest/segment-line.js';
import type { ObjectStore } from '../../../../src/store/s3/object-store.js';
import type { ManifestRecord } from '../../../../src/store/types.js';
import { type Gate, MemoryBucket } from '../../../helpers/memory-store.js';
import { recordOf } from '../../manifest/records.js';

const ROOT = 'data/.tickhaul/manifest/';
const MONTH = 'binance/trades/2022-01/';
const HOUR = 3_600_000;

type Scope = ManifestScope | readonly ManifestScope[];
const open = (store: ObjectStore, scope?: Scope, warnings: string[] = []): Promise<Manifest> =>
  openStoreManifest(store, 'data/', { warn: (message) => warnings.push(message) }, scope);
const paths = (manifest: Manifest): string[] => [...manifest.records()].map(({ path }) => path).sort();

/** A record of a day file of its own. */
function fileOn(day: string, dataType = 'trades', exchange = 'binance'): ManifestRecord {
  const path = `${exchange}/${dataType}/${day}`;
  return { ...recordOf(path), file: { exchange, dataType, symbol: 'BTCUSDT', day: parseDay(day) as Day } };
}

async function write(manifest: Manifest, ...records: readonly ManifestRecord[]): Promise<void> {
  const appended = Promise.all(records.map((record) => manifest.append(record)));
  await manifest.flush();
  await appended;
}

function compact(bucket: MemoryBucket, mostLoose = 1): Promise<void> {
  const place = { store: bucket.client(), root: ROOT };
  return compactMonth(place, MONTH, { run: 'c', now: bucket.now, storeNow: bucket.now, mostLoose });
}

test('records appended together stand in one segment a month, and are read again by others', async () => {
  const bucket = new MemoryBucket();
  const first = await open(bucket.client());
  assert.equal(first.size, 0);
  const february = fileOn('2022-02-01');
  await write(first, fileOn('2022-01-01'), fileOn('2022-01-31'), february, fileOn('2022-02-01', 'quotes'));
  const names = bucket.keys().map((key) => key.slice(ROOT.length));
  assert.equal(names.length, 3);
  for (const name of names)
    assert.match(
      name,
      /^binance\/(trades\/2022-0[12]|quotes\/2022-02)\/\d{8}T\d{9}Z-[0-9a-f]{12}-[123]\.jsonl$/,
    );
  const second = await open(bucket.client());
  assert.deepEqual(paths(second), paths(first));
  assert.deepEqual(second.get(february.path), february);
  assert.deepEqual(second.history.daySize(february.file), { bytes: 1234, rows: 1 });
  assert.equal(second.has('none'), false);
  await first.close();
  assert.equal(bucket.keys().length, 3);
});

test('an append resolves when its segment stands, and not before', async () => {
  const bucket = new MemoryBucket();
  let letGo = (): void => {};
  const gate: Gate = async ({ name }) => {
    if (name === 'put')
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
  };
  const manifest = await open(bucket.client(gate));
  let isAppended = false;
  const appended = manifest.append(recordOf('a')).then(() => {
    isAppended = true;
  });
  const flushed = manifest.flush();
  await new Promise(setImmediate);
  assert.deepEqual([isAppended, manifest.has('a')], [false, false]);
  letGo();
  await new Promise(setImmediate);
  letGo();
  await Promise.all([appended, flushed]);
  assert.deepEqual([manifest.has('a'), bucket.keys().length], [true, 1]);
});

test('500 records are written without being asked for, and closing writes the rest', async () => {
  const bucket = new MemoryBucket();
  const manifest = await open(bucket.client());
  const appends = Array.from({ length: 700 }, (_, n) => manifest.append(recordOf(`${n}`)));
  await Promise.all(appends.slice(0, 500));
  assert.equal(manifest.size, 500);
  await manifest.close();
  await Promise.all(appends);
  assert.deepEqual([manifest.size, bucket.keys().length], [700, 2]);
});

test('a segment that cannot be put fails its appends, and the next ones are tried anew', async () => {
  const bucket = new MemoryBucket();
  let isDown = true;
  const manifest = await open(
    bucket.client(async ({ name }) => {
      if (name === 'put' && isDown) throw new Error('down');
    }),
  );
  const refused = assert.rejects(manifest.append(recordOf('a')), /down/);
  await manifest.flush();
  await refused;
  isDown = false;
  await write(manifest, recordOf('b'));
  assert.deepEqual(paths(manifest), ['b']);
});

test('the record that was written last counts, however wrong the clocks are', async () => {
  const bucket = new MemoryBucket();
  const at = (clock: number) =>
    openStoreManifest(bucket.client(), 'data/', { warn: assert.fail, clock: () => clock });
  await write(await at(Date.UTC(2030, 0)), recordOf('a', 1));
  await write(await at(0), recordOf('a', 2));
  const third = await at(Date.UTC(2020, 0));
  assert.equal(third.get('a')?.rows, 2);
  await write(third, recordOf('a', 3), recordOf('a', 4));
  assert.equal((await at(0)).get('a')?.rows, 4);
  const fourth = await at(0);
  await write(await at(Date.UTC(2040, 0)), recordOf('a', 5));
  assert.equal((await fourth.now()).get('a')?.rows, 5);
  await write(fourth, recordOf('a', 6));
  assert.equal((await at(0)).get('a')?.rows, 6, 'newer than what others wrote since it was opened');
});

test('what was forgotten stays so in whichever order segments are read, and through compactions', async () => {
  const bucket = new MemoryBucket();
  const first = await open(bucket.client());
  await write(first, recordOf('gone'), recordOf('kept'));
  await write(first, { ...recordOf('gone'), dropped: true });
  assert.deepEqual([first.size, first.get('gone'), paths(first)], [1, undefined, ['kept']]);
  const [before = ''] = bucket.keys(ROOT);
  const late = bucket.text(before) ?? '';
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  assert.equal(bucket.keys(ROOT).length, 1);
  // A segment whose put took hours.
  bucket.write(`${ROOT}${MONTH}20211231T000000000Z-late-1.jsonl`, late);
  const again = await open(bucket.client());
  assert.deepEqual(paths(again), ['kept']);
  await write(again, recordOf('gone', 7));
  assert.equal((await open(bucket.client())).get('gone')?.rows, 7);
});

test('a scope reads the months that it touches, and no others', async () => {
  const bucket = new MemoryBucket();
  const all = [
    ...['2022-01-31', '2022-02-01', '2022-02-28', '2022-03-01', '2023-02-01'].map((day) => fileOn(day)),
    fileOn('2022-02-01', 'quotes'),
    fileOn('2022-02-01', 'trades', 'deribit'),
  ];
  await write(await open(bucket.client()), ...all);
  const read = async (scope: Scope): Promise<readonly string[]> => {
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

test('damaged lines and paths that lead outside are told of by object, and passed over', async () => {
  const bucket = new MemoryBucket();
  const good = formatSegmentLine({ record: recordOf('good'), written: 1 });
  const outside = formatSegmentLine({ record: recordOf('../x'), written: 1 });
  const own = formatSegmentLine({ record: recordOf('.tickhaul/x'), written: 1 });
  const unwritten = JSON.stringify({ ...JSON.parse(good), written: undefined });
  const key = `${ROOT}${MONTH}20220101T000000000Z-run-1.jsonl`;
  bucket.write(key, ['{', good, outside, 'null', own, unwritten].join('\n'));
  bucket.write(`${ROOT}${MONTH}notes.txt`, 'not of the manifest');
  const warnings: string[] = [];
  assert.deepEqual(paths(await open(bucket.client(), {}, warnings)), ['good']);
  assert.deepEqual(warnings, [
    `s3://bucket/${key}: 3 damaged lines passed over, the first is line 1`,
    `s3://bucket/${key}: 2 records with a path outside the folder passed over, the first is line 3`,
  ]);
});

test('what cannot be read here is compacted away by nobody', async () => {
  const bucket = new MemoryBucket();
  for (const name of ['a', 'b']) await write(await open(bucket.client()), recordOf(name));
  const [key = ''] = bucket.keys(ROOT);
  bucket.write(key, `${bucket.text(key)}{"of":"a later version"}\n`);
  const before = bucket.keys(ROOT);
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  assert.deepEqual(bucket.keys(ROOT), before);
});

test('lines and letters that are cut where an object is read piece by piece come back whole', async () => {
  const bucket = new MemoryBucket();
  const names = Array.from({ length: 40 }, (_, n) => `${n}€${'漢'.repeat(300_000)}`);
  const lines = names.map((name) => formatSegmentLine({ record: recordOf(name), written: 1 }));
  bucket.write(`${ROOT}${MONTH}20220101T000000000Z-run-1.jsonl`, lines.join('\n'));
  assert.deepEqual(paths(await open(bucket.client())), names.sort());
});

test('a run that wrote makes one base of many segments, and one an hour later removes them', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 50; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  const reader = await open(bucket.client());
  await reader.close();
  assert.equal(bucket.keys(ROOT).length, 50, 'a run that only read writes nothing');
  const last = await open(bucket.client());
  await write(last, recordOf('50'));
  await last.close();
  assert.equal(bucket.keys(ROOT).length, 52);
  assert.deepEqual(bucket.keys('data/.tickhaul/compactions/'), []);
  const got: string[] = [];
  const gate: Gate = async ({ name, key }, moment) => {
    if (name === 'get' && moment === 'before') got.push(key);
  };
  const next = await open(bucket.client(gate));
  assert.equal(next.size, 51);
  assert.equal(new Set(got).size, 1, 'the base, and nothing that it stands for');
  bucket.now += HOUR / 2;
  await write(next, recordOf('51'));
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 53);
  bucket.now += HOUR;
  await next.close();
  assert.equal(bucket.keys(ROOT).length, 2);
  assert.equal((await open(bucket.client())).size, 52);
});

test('a run that ends early gives its records some seconds, and compacts nothing', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 50; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  const silent = (): Promise<never> => new Promise(() => {});
  const down = (): Promise<never> => Promise.reject(new TickhaulError('store_down', 'gave up'));
  for (const answer of [silent, down]) {
    const asked: string[] = [];
    let isDown = false;
    const gate: Gate = async ({ name }, moment) => {
      if (moment === 'before') asked.push(name);
      if (isDown) await answer();
    };
    const options = { warn: assert.fail, farewellMs: 1 };
    const manifest = await openStoreManifest(bucket.client(gate), 'data/', options);
    await write(manifest, recordOf('stands'));
    isDown = true;
    asked.length = 0;
    const appended = assert.rejects(manifest.append(recordOf('late')), { code: 'store_down' });
    if (answer === silent) manifest.hurry();
    await manifest.close();
    await appended;
    assert.deepEqual([asked, manifest.has('late')], [['put'], false]);
  }
});

test('a run that is told to hurry when its records stand keeps no process', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const manifest = await open(new MemoryBucket().client());
  await write(manifest, recordOf('stands'));
  await manifest.close();
  const before = timers();
  manifest.hurry();
  assert.equal(timers(), before);
});

test('what others recorded since it was opened is read by itself, through compactions', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  await compact(bucket);
  let got = 0;
  const reader = await open(
    bucket.client(async ({ name }, moment) => {
      if (name === 'get' && moment === 'before') got++;
    }),
  );
  got = 0;
  assert.equal((await reader.now()).get('0')?.rows, 1);
  assert.equal(got, 0, 'a base and what it stands for are known');
  await write(await open(bucket.client()), recordOf('0', 2), recordOf('3'));
  await write(reader, recordOf('own'));
  const now = await reader.now();
  assert.deepEqual(
    ['0', '1', '3', 'own', 'none'].map((path) => [now.has(path), now.get(path)?.rows]),
    [
      [true, 2],
      [true, 1],
      [true, 1],
      [true, 1],
      [false, undefined],
    ],
  );
  assert.deepEqual([got, reader.get('0')?.rows, reader.has('3')], [1, 1, false]);
  await compact(bucket);
  bucket.now += 2 * HOUR;
  await compact(bucket);
  await write(await open(bucket.client()), { ...recordOf('1'), dropped: true });
  const later = await reader.now();
  assert.deepEqual([later.get('0')?.rows, later.has('1'), later.has('2')], [2, false, true]);
});

test('what is removed between its listing and its reading is found in what stands for it', async () => {
  const bucket = new MemoryBucket();
  for (let n = 0; n < 3; n++) await write(await open(bucket.client()), recordOf(`${n}`));
  let isListed = false;
  const store = bucket.client(async ({ name }, moment) => {
    if (isListed || name !== 'list' || moment !== 'after') return;
    isListed = true;
    await compact(bucket);
    bucket.now += 2 * HOUR;
    await compact(bucket);
  });
  const manifest = await open(store);
  assert.deepEqual(paths(manifest), ['0', '1', '2']);
  assert.equal(bucket.keys(ROOT).length, 1);
});

test('a store that lists what it never gives is an error, and not an endless search', async () => {
  const bucket = new MemoryBucket();
  await write(await open(bucket.client()), recordOf('a'));
  const store = { ...bucket.client(), getWhole: async () => undefined };
  await assert.rejects(open(store), { code: 'bad_answer', message: /lists objects that it doesn't give/ });
});

test('an abort ends the reading with its reason', async () => {
  const bucket = new MemoryBucket();
  await write(await open(bucket.client()), recordOf('a'));
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(openStoreManifest(bucket.client(), 'data/', { warn: assert.fail, signal }), /enough/);
});
