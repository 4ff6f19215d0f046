import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { duckFor } from '../format/parquet/readers.js';
import { succeeded, tickhaul } from '../helpers/cli.js';
import { nightlyTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

nightlyTest('the demo runs without a key, its counts are right, and its query returns rows', async (t) => {
  const dir = await tempDir(t);
  const { stdout } = await succeeded(
    tickhaul(['demo', '--dir', dir], {
      // Without settings of the user.
      env: { HTTP_PROXY: 'http://127.0.0.1:1', TICKHAUL_API_KEY: 'mine' },
    }),
  );
  const broken = Number(/The service broke (\d+) responses, and each file is complete\./.exec(stdout)?.[1]);
  // Faults are deterministic, and a file with two faults needs three attempts.
  assert.ok(broken >= 5 && broken <= 2 * 32, `${broken} broken responses`);
  assert.match(stdout, /32 verified day files, .* are in /);
  assert.ok(stdout.includes(`rm -r ${dir}\n`));
  assert.match(stdout, /^ Mar ■{8}$/m);
  assert.equal(stdout.match(/^degraded 2024-03-\d\d binance-futures .*: (?:gap|crossed) /gm)?.length, 3);
  assert.match(await readFile(join(dir, 'audit.html'), 'utf8'), /<dt>days degraded<\/dt><dd>3<\/dd>/);
  const duck = await duckFor(t);
  const query = /^ {2}SELECT .*?;$/ms.exec(stdout)?.[0] ?? '';
  assert.equal((await duck.query(query)).length, 2 * 8, 'two symbols, eight days');
});
