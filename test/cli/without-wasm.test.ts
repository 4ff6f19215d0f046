import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { csvOf } from '../convert/day-files.js';
import { jsonLines, tickhaul } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';

test('a Node without WebAssembly verifies files, and says what it lacks for conversions', async (t) => {
  const dir = await tempDir(t);
  // Larger than what is gunzipped at once, and enough files that the check threads inflate them.
  const csv = gzipSync(csvOf('trades', 90_000), { level: 1 });
  assert.ok(csv.length > 1_000_000);
  const files = availableParallelism() + 1;
  for (let i = 1; i <= files; i++) {
    const day = `2024-03-${String(i).padStart(2, '0')}`;
    await writeFile(join(dir, `deribit_trades_${day}_BTC-PERPETUAL.csv.gz`), csv);
  }
  const command = [process.execPath, '--jitless'];
  assert.equal((await tickhaul(['verify', dir, '--adopt'])).exitCode, 0);
  const verified = await tickhaul(['verify', dir, '--json'], { command });
  assert.equal(verified.exitCode, 0, verified.stderr);
  assert.equal(jsonLines(verified).at(-1)?.['verified'], files);
  const converted = await tickhaul(['convert', dir, '--out', join(dir, 'out')], { command });
  assert.equal(converted.exitCode, 2);
  assert.match(converted.stderr, /cannot run WebAssembly with SIMD, which conversions and replays need/);
});
