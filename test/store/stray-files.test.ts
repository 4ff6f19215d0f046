import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStrayName, StrayFiles } from '../../src/store/stray-files.js';

const { signal } = new AbortController();
const NAME = 'deribit_trades_2024-03-01_BTC-PERPETUAL';

/** Paths of which a search passes over those that exist only for an operating system, and copies. */
async function passedOver(paths: readonly string[], recorded: readonly string[] = []): Promise<string[]> {
  const existing = new Set(paths);
  const stat = async (path: string) => (existing.has(path) ? { bytes: 1 } : undefined);
  const strays = new StrayFiles({ stat }, (path) => recorded.includes(path));
  const found: string[] = [];
  for (const path of paths) if (await strays.has(path, (other) => other, signal)) found.push(path);
  return found;
}

test('names of copies and system files are recognised, and no others', async () => {
  const strays = [
    `._${NAME}`,
    `a/._${NAME}`,
    `.Trash-1000/files/${NAME}`,
    `$RECYCLE.BIN/S-1-5/${NAME}`,
    `@eaDir/${NAME}`,
    `${NAME} (1)`,
    `a/b/${NAME} (12)`,
    `${NAME} (1) (1)`,
    `${NAME} copy`,
    `${NAME} copy 2`,
    `${NAME} - Copy`,
    `${NAME} - Copy (2)`,
    `Copy of ${NAME}`,
    `Copy (2) of ${NAME}`,
    `${NAME} (copy)`,
    `${NAME} (another copy)`,
    `${NAME} (3rd copy)`,
    `${NAME} (Ann's conflicted copy 2024-03-02)`,
    `${NAME}.sync-conflict-20240302-101112-ABCDEFG`,
  ];
  const others = [
    NAME,
    'deribit_trades_2024-03-01_PHOTOCOPY',
    'deribit_trades_2024-03-01_@107',
    'deribit_trades_2024-03-01_._X',
    'deribit_trades_2024-03-01_WILL X WIN 2024',
    'deribit_trades_2024-03-01_WIN(2)',
    'exchange=deribit/symbol=@107/trades',
    'prices (1)',
    'my copy',
  ];
  for (const extension of ['csv.gz', 'parquet', 'ndjson', 'ndjson.zst', 'arrow']) {
    for (const name of strays) {
      const path = `${name}.${extension}`;
      assert.deepEqual(await passedOver([path]), [path]);
      assert.ok(isStrayName(path), path);
    }
    for (const name of others) {
      const path = `${name}.${extension}`;
      assert.deepEqual(await passedOver([path]), []);
      assert.ok(!isStrayName(path), path);
    }
  }
});

test('a name that a symbol may have is that of a copy only beside its original, and never with a record', async () => {
  const original = '2024-03-01.csv.gz';
  for (const copy of ['2024-03-01 2.csv.gz', '2024-03-01(1).csv.gz', '2024-03-01 (1).csv.gz']) {
    assert.deepEqual(await passedOver([copy]), []);
    assert.deepEqual(await passedOver([copy, original]), [copy]);
    assert.deepEqual(await passedOver([`a/${copy}`, original]), []);
    assert.deepEqual(await passedOver([copy, original], [copy]), []);
  }
  const symbol = `${NAME} (1).csv.gz`;
  assert.deepEqual(await passedOver([symbol], [symbol]), []);
});
