// Opens or compacts a manifest once, to be measured: node manifest-child.js <what> <folder> <records>
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDist } from '../lib/engine.js';

const [what, folder, records] = process.argv.slice(2);
const warn = (message) => {
  throw new Error(message);
};

if (what === 'compaction') await compactAll();
else {
  const manifest = await (what === 'folder' ? ofFolder() : ofStore());
  if (manifest.size !== Number(records)) throw new Error(`${manifest.size} records, not ${records}`);
}

async function ofFolder() {
  const { openFolderManifest } = await fromDist('store/folder/folder-manifest.js');
  return openFolderManifest(folder, { warn });
}

async function ofStore() {
  const { openStoreManifest } = await fromDist('store/s3/bucket-manifest/store-manifest.js');
  return openStoreManifest(storeIn(folder), '', { warn });
}

/** All months, as if each had too many segments and an old base. */
async function compactAll() {
  const { compactMonth } = await fromDist('store/s3/bucket-manifest/compact-months.js');
  const place = { store: storeIn(folder), root: '.tickhaul/manifest/' };
  const now = Date.now();
  const months = readdirSync(join(folder, place.root, 'binance/trades'));
  for (const storeNow of [now, now + 2 * 3_600_000])
    for (const month of months)
      await compactMonth(place, `binance/trades/${month}/`, {
        run: 'bench',
        now,
        storeNow,
        maxLooseSegments: 49,
      });
}

/** The store interface of a manifest, on a folder. */
function storeIn(root) {
  return {
    name: 's3://folder',
    async *list(prefix) {
      const names = readdirSync(join(root, prefix), { recursive: true, withFileTypes: true });
      const keys = names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort();
      for (let at = 0; at < keys.length; at += 1000) yield keys.slice(at, at + 1000).map(look);
    },
    getWhole: (key) => readFile(join(root, key)),
    async *get(key, { start = 0, end } = {}) {
      const handle = await open(join(root, key));
      yield* handle.createReadStream({ start, ...(end !== undefined && { end: end - 1 }) });
    },
    upload(key) {
      const parts = [];
      return {
        write: async (bytes) => void parts.push(bytes),
        complete: async () => writeFileSync(join(root, key), Buffer.concat(parts)),
        abort: async () => {},
      };
    },
    remove: async (keys) => {
      for (const key of keys) rmSync(join(root, key));
    },
  };

  function look(key) {
    const { size, mtimeMs } = statSync(join(root, key));
    return { key, bytes: size, etag: '', modified: mtimeMs };
  }
}
