import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays, parseDay } from '../../src/day-files/day.js';
import { verifyFile } from '../../src/gzip/verify-file.js';
import type { SandboxRequest } from '../../src/sandbox/sandbox-options.js';
import { seededRandom } from '../../src/sandbox/simulation/seeded-random.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { envOf, jsonLines, start } from '../helpers/cli.js';
import { rounds } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const NIGHTS = rounds(10);
const KILLS = rounds(7);
const FIRST = parseDay('2024-03-01');
const FAULTS = { '500': 0.02, reset: 0.01, truncate: 0.01, 'bit-flip': 0.01 };

const CONFIG = `jobs:
  - name: trades
    exchange: binance-futures
    types: trades
    symbols: [BTCUSDT, ETHUSDT, SOLUSDT]
    from: 2024-03-01
  - name: quotes
    exchange: kraken
    types: quotes
    symbols: XBT-USD
    from: 2024-03-01
    convert: parquet
`;

test('after nights with faults and kills all files are complete, and none was downloaded twice', async (t) => {
  const dir = await tempDir(t);
  const data = join(dir, 'data');
  await writeFile(join(dir, 'tickhaul.yaml'), CONFIG);
  const random = seededRandom(7, 'month');
  let kills = 0;
  let night = 0;
  let isWhole = false;
  while (night < NIGHTS || kills < KILLS || !isWhole) {
    night++;
    assert.ok(night < 2 * NIGHTS, `only ${kills} kills`);
    const before = await dayFilesIn(data);
    const mayKill = kills < KILLS;
    // A night requests at least four files; the kill may happen at any time between the first request and the end.
    const killAt = mayKill ? Math.floor(random.next() * 5) : Number.POSITIVE_INFINITY;
    const killAfterMs = random.next() * 60;
    const requests: SandboxRequest[] = [];
    let onAsked: () => void = () => {};
    const service = await startSandbox({
      exportedUntil: addDays(FIRST, night),
      rows: 1000,
      rate: 300_000,
      seed: night,
      faults: FAULTS,
      onRequest: (request) => {
        requests.push(request);
        onAsked();
      },
    });
    const { child, finished } = start(['sync', '--json', '--config', join(dir, 'tickhaul.yaml')], {
      env: envOf(service, data),
    });
    onAsked = () => {
      const asked = requests.filter(({ host }) => host === 'datasets').length;
      if (asked >= killAt) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    };
    const { exitCode, stdout, stderr } = await finished;
    await service.close();
    isWhole = child.signalCode !== 'SIGKILL';
    if (!isWhole) kills++;
    else {
      assert.equal(exitCode, 0, `night ${night}: ${stderr}`);
      assert.equal(jsonLines({ exitCode, stdout, stderr }).at(-1)?.['exitCode'], 0);
      assert.equal((await dayFilesIn(data)).length, 4 * night, `night ${night} caught up`);
    }
    const asked = new Set(requests.map(({ url }) => toFlatName(url)));
    assert.deepEqual(
      before.filter((name) => asked.has(name)),
      [],
      'what stood there was never asked for again',
    );
  }

  const names = await readdir(data, { recursive: true });
  assert.deepEqual(
    names.filter((name) => name.endsWith('.part')),
    [],
  );
  assert.equal(names.filter((name) => name.endsWith('.parquet')).length, night);
  const manifest = await openFolderManifest(data, { warn: (message) => assert.fail(message) });
  for (const name of await dayFilesIn(data)) {
    const { sha256, rows } = await verifyFile(join(data, name));
    const record = manifest.get(name);
    assert.deepEqual([record?.sha256, record?.rows], [sha256, rows], name);
  }
  await manifest.close();
});

async function dayFilesIn(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => name.endsWith('.csv.gz'));
}

/** The file name in the flat layout for a dataset URL. */
function toFlatName(url: string): string {
  const [, exchange, type, year, month, day, symbol] =
    /^\/v1\/([^/]+)\/([^/]+)\/(\d+)\/(\d+)\/(\d+)\/([^/]+)\.csv\.gz/.exec(url) ?? [];
  return `${exchange}_${type}_${year}-${month}-${day}_${symbol}.csv.gz`;
}
