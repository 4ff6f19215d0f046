import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays } from '../../src/day-files/day.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { envOf, jsonLines, tickhaul } from '../helpers/cli.js';
import { EXPORTED_UNTIL } from '../helpers/sandbox.js';
import { rounds } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';
import { requestedPaths } from './helpers.js';

const PAIRS = 5;
const CONFIG = 'jobs: [{name: a, exchange: kraken, types: trades, symbols: XBT-USD, last: 2d}]\n';

test('of two syncs started at the same time, one works at a time, and both complete', async (t) => {
  const dir = await tempDir(t);
  const data = join(dir, 'data');
  await writeFile(join(dir, 'tickhaul.yaml'), CONFIG);
  const args = ['sync', '--json', '--config', join(dir, 'tickhaul.yaml')];
  for (let pair = 0; pair < rounds(PAIRS); pair++) {
    // Two new days each time.
    const exportedUntil = addDays(EXPORTED_UNTIL, 2 * pair);
    const service = await startSandbox({ exportedUntil, rows: 300, latencyMs: 20 });
    const isPatient = pair % 2 === 1;
    const all = isPatient ? [...args, '--lock-timeout', '5m'] : args;
    const options = { env: envOf(service, data) };
    const ended = await Promise.all([tickhaul(all, options), tickhaul(all, options)]);
    const downloaded = ended.map((one) => Number(jsonLines(one).at(-1)?.['downloaded'] ?? 0));
    const codes = ended.map(({ exitCode }) => exitCode).sort();
    const said = ended.map(({ stderr }) => stderr).join('');
    assert.deepEqual(downloaded.sort(), [0, 2], said);
    assert.equal(requestedPaths(service).length, 2, 'nothing came twice');
    // The second may have started after the first ended.
    if (isPatient || codes[1] === 0) assert.deepEqual(codes, [0, 0], said);
    else {
      assert.deepEqual(codes, [0, 9], said);
      assert.match(said, /another run holds the lock, process \d+ on .* \(tickhaul sync\)/);
    }
    await service.close();
  }
});
