import assert from 'node:assert/strict';
import type { Destination, ListedEntry } from '../../../src/store/destination.js';
import { readFileFrom, testStores, writeFileTo } from './stores.js';

const { signal } = new AbortController();

/** More than one page of a listing, and more lookups than a folder answers one by one. */
const MANY = 1001;

const ODD_NAMES = [
  ...["a'b(c)!*~.csv.gz", 'a+b %41.csv.gz', 'a=1/b=2/c d.csv.gz', 'a&b<c>"d".csv.gz', 'b?c#d.csv.gz'],
  ...['é€😀.csv.gz', '\u0001.csv.gz', '..a/b..'],
];

async function list(destination: Destination, under = ''): Promise<readonly ListedEntry[]> {
  const entries: ListedEntry[] = [];
  for await (const page of destination.list(under, signal)) entries.push(...page);
  return entries;
}

const listPaths = async (destination: Destination, under?: string): Promise<readonly string[]> =>
  (await list(destination, under)).map(({ path }) => path);

testStores('lists and reads files with any names', async (store) => {
  const destination = await store.open();
  for (const name of ODD_NAMES) await writeFileTo(destination, name, Buffer.from(name));
  const entries = await list(destination);
  assert.deepEqual(entries.map(({ path }) => path).sort(), ODD_NAMES.toSorted());
  for (const { path, bytes, etag } of entries) {
    const stored = await destination.files.stat(destination.locate(path));
    assert.equal(stored?.bytes, Buffer.byteLength(path));
    assert.deepEqual(
      [bytes, etag],
      destination.hasLocalPaths ? [undefined, undefined] : [stored?.bytes, stored?.etag],
    );
    assert.equal((await readFileFrom(destination, path)).toString(), path);
    await destination.files.remove(destination.locate(path));
  }
  assert.deepEqual(await store.contents(), []);
});

testStores('lists the files under a path, and no others and no state', async (store) => {
  const destination = await store.open();
  for (const path of ['a/2.csv.gz', 'a/1.csv.gz', 'ab/3.csv.gz', 'a/c/4.csv.gz'])
    await writeFileTo(destination, path, Buffer.from(path));
  await destination.writeState('sync.json', '{}');
  const all = ['a/1.csv.gz', 'a/2.csv.gz', 'a/c/4.csv.gz'];
  assert.deepEqual(await listPaths(destination), [...all, 'ab/3.csv.gz']);
  assert.deepEqual(await listPaths(destination, 'a'), all);
  assert.deepEqual(await listPaths(destination, 'a/c'), ['a/c/4.csv.gz']);
  assert.deepEqual(await listPaths(destination, 'none'), []);
});

testStores('lists many files once each, in order, and looks them up', async (store) => {
  const destination = await store.open();
  const paths = Array.from({ length: MANY }, (_, n) => `k/${String(n).padStart(5, '0')} +.csv.gz`);
  for (let at = 0; at < MANY; at += 100)
    await Promise.all(paths.slice(at, at + 100).map((path) => store.write(path, path)));
  assert.deepEqual(await listPaths(destination), paths);
  for (const getPrefixes of [undefined, () => ['k/', 'none/']]) {
    const lookup = await destination.openLookup(getPrefixes);
    assert.deepEqual(
      [...paths, 'k/none', 'none/a'].filter((path) => !lookup.has(path)),
      ['k/none', 'none/a'],
    );
    const { bytes, etag } = lookup.get(paths[7] ?? '') ?? {};
    assert.deepEqual(
      [bytes, etag !== undefined],
      [Buffer.byteLength(paths[7] ?? ''), !destination.hasLocalPaths],
    );
    assert.equal(lookup.get('k/none'), undefined);
  }
});

testStores('locates paths inside of the destination only', async (store) => {
  const { name, locate, files, hasLocalPaths } = await store.open();
  assert.equal(locate(''), name);
  assert.equal(locate('a/b.csv.gz'), `${name}/a/b.csv.gz`);
  assert.equal(hasLocalPaths, !name.includes('://'));
  for (const path of ['../a', 'a//b', '/a', 'a/..', 'a\\b'])
    assert.throws(() => locate(path), { code: 'usage' });
  assert.equal(await files.hasRecords(name), false);
});

testStores('a destination that does not exist yet is empty, and reading it writes nothing', async (store) => {
  const destination = await store.open();
  assert.deepEqual(await listPaths(destination), []);
  assert.equal(await destination.readState('sync.json'), undefined);
  const manifest = await destination.openManifest({ warn: assert.fail });
  assert.deepEqual(
    [manifest.size, manifest.has('a.csv.gz'), manifest.get('a.csv.gz')],
    [0, false, undefined],
  );
  await manifest.close();
  assert.equal(await destination.readRecords({ warn: assert.fail }), undefined);
  assert.equal((await destination.openLookup()).has('a.csv.gz'), false);
  assert.deepEqual(await store.contents(), []);
});

testStores('a state file is replaced as a whole', async (store) => {
  const [one, other] = [await store.open(), await store.open()];
  for (const text of ['{"ü":1}', '']) {
    await one.writeState('sync.json', text);
    assert.equal(await other.readState('sync.json'), text);
  }
  assert.deepEqual(await store.contents(), ['.tickhaul/sync.json']);
});

testStores('updates a state file that other clients update too', async (store) => {
  const clients = await Promise.all(Array.from({ length: 4 }, () => store.open()));
  const add = (line: string) => (text: string | undefined) =>
    [...new Set([...(text ?? '').split('\n').filter((known) => known !== ''), line])]
      .sort()
      .map((known) => `${known}\n`)
      .join('');
  const [first] = clients;
  await first?.updateState('audit.jsonl', add('a'), signal);
  const updates = clients.map((client, n) => () => client.updateState('audit.jsonl', add(`b${n}`), signal));
  // Only a folder has a lock for this.
  if (first?.hasLocalPaths) await Promise.all(updates.map((update) => update()));
  else for (const update of updates) await update();
  assert.equal(await first?.readState('audit.jsonl'), 'a\nb0\nb1\nb2\nb3\n');
  const aborted = AbortSignal.abort();
  await first?.updateState('audit.jsonl', add('c'), aborted);
  assert.equal(await first?.readState('audit.jsonl'), 'a\nb0\nb1\nb2\nb3\nc\n');
  assert.deepEqual(await listPaths(first as Destination), []);
});
