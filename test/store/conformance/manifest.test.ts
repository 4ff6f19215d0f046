import assert from 'node:assert/strict';
import type { Destination } from '../../../src/store/destination.js';
import type { Manifest } from '../../../src/store/manifest/manifest.js';
import type { ManifestRecord } from '../../../src/store/manifest-record.js';
import { createTestRecord, toTestName, toTestPath } from '../manifest/records.js';
import { testStores } from './stores.js';

const open = (destination: Destination): Promise<Manifest> => destination.openManifest({ warn: assert.fail });

async function append(manifest: Manifest, ...records: readonly ManifestRecord[]): Promise<void> {
  const appended = records.map((record) => manifest.append(record));
  await Promise.all([manifest.flush(), ...appended]);
}

const namesOf = (records: Iterable<ManifestRecord>): readonly string[] =>
  [...records].map(({ path }) => toTestName(path)).sort();

testStores('the last record of a path counts, also for other clients', async (store) => {
  const destination = await store.open();
  const first = await open(destination);
  await append(first, createTestRecord('a', 1), createTestRecord('é b', 2), createTestRecord('a', 3));
  const record = createTestRecord('a', 3);
  assert.deepEqual(first.get(record.path), record);
  await first.close();
  const other = await store.open();
  const second = await open(other);
  assert.deepEqual([second.size, namesOf(second.records())], [2, ['a', 'é b']]);
  assert.deepEqual([second.get(record.path), second.has(toTestPath('none'))], [record, false]);
  assert.deepEqual(second.history.daySize(record.file)?.bytes, record.bytes);
  await second.close();
  assert.deepEqual(namesOf((await other.readRecords({ warn: assert.fail })) ?? []), ['a', 'é b']);
  assert.equal(await other.files.hasRecords(other.locate('')), true);
});

testStores('an export log is a record of a folder, too', async (store) => {
  const { files, locate, writeState } = await store.open();
  await writeState('audit.jsonl', '');
  assert.equal(await files.hasRecords(locate('')), false);
  await writeState('exports.jsonl', '');
  assert.equal(await files.hasRecords(locate('')), true);
});

testStores('a forgotten path is unknown until it is recorded again', async (store) => {
  const destination = await store.open();
  const manifest = await open(destination);
  await append(manifest, createTestRecord('gone'), createTestRecord('kept'));
  await append(manifest, { ...createTestRecord('gone'), dropped: true });
  for (const each of [manifest, await open(destination)])
    assert.deepEqual(
      [each.size, each.has(toTestPath('gone')), namesOf(each.records())],
      [1, false, ['kept']],
    );
  await append(manifest, createTestRecord('gone', 7));
  await manifest.close();
  assert.equal((await open(destination)).get(toTestPath('gone'))?.rows, 7);
});

testStores('an open manifest finds the records of other runs when it is read again', async (store) => {
  const [reader, writer] = [await open(await store.open()), await open(await store.open())];
  await append(writer, createTestRecord('a', 1));
  await append(reader, createTestRecord('own', 2));
  assert.equal(reader.has(toTestPath('a')), false);
  const latest = await reader.reread();
  assert.deepEqual(
    ['a', 'own', 'none'].map((name) => latest.get(toTestPath(name))?.rows),
    [1, 2, undefined],
  );
  for (const manifest of [reader, writer]) await manifest.close();
});

testStores(
  'two runs that write one manifest at the same time lose no record, before and after its compaction',
  async (store) => {
    const runs = await Promise.all([0, 1].map(async () => open(await store.open())));
    for (let n = 0; n < 26; n++)
      await Promise.all(runs.map((manifest, run) => append(manifest, createTestRecord(`${run}/${n}`, n))));
    const names = runs.flatMap((_, run) => Array.from({ length: 26 }, (_, n) => `${run}/${n}`));
    const before = await open(await store.open());
    assert.deepEqual(namesOf(before.records()), names.sort());
    await append(before, createTestRecord('one more'));
    for (const manifest of [before, ...runs]) await manifest.close();
    const after = await open(await store.open());
    assert.deepEqual(namesOf(after.records()), [...names, 'one more'].sort());
    await after.close();
  },
);

testStores('opens only the records of a scope, if the manifest is divided', async (store) => {
  const destination = await store.open();
  const manifest = await open(destination);
  const trades = createTestRecord('trades');
  const quotes = { ...createTestRecord('quotes'), file: { ...trades.file, dataType: 'quotes' } };
  await append(manifest, trades, quotes);
  await manifest.close();
  const scope = { exchanges: ['binance'], dataTypes: ['trades'] };
  const scoped = await destination.openManifest({ warn: assert.fail }, scope);
  assert.equal(scoped.has(trades.path), true);
  assert.equal(scoped.has(quotes.path), destination.hasLocalPaths);
});
