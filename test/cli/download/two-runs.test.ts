import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, start, succeeded } from '../../helpers/cli.js';
import { gated, opening } from '../../helpers/gate.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';

test('a download beside another run names the other run, and continues', async (t) => {
  const [asked, never] = [opening(), new Promise<undefined>(() => {})];
  // Days of January, which only the first run downloads, get no response: it runs until its signal.
  const service = await gated(t, await sandbox(t, { rows: 50 }), (url) => {
    if (!url.includes('/2024/01/')) return undefined;
    asked.open();
    return never;
  });
  const dir = join(await tempDir(t), 'data');
  const env = envOf(service, dir);
  const words = ['download', 'binance-futures', '-t', 'trades', '-s', 'BTCUSDT', '-j', '1'];
  const first = start([...words, '--from', '2024-01-01', '--to', '2024-03-09'], { env });
  cleanUp(t, () => killAndWait(first.child));
  await Promise.race([asked.opened, first.finished]);
  for (const flags of [[], ['--json']]) {
    const { stderr } = await succeeded(runHere([...words, '--date', '2024-03-09', ...flags], { env }));
    const notes = stderr.split('\n').filter((line) => line.includes('another run'));
    assert.equal(notes.length, 1, stderr);
    const said = `${dir}: another run uses this folder as well, process ${first.child.pid} on `;
    assert.ok(notes[0]?.startsWith(said), notes[0]);
    assert.match(notes[0] ?? '', / since \d{4}-\d\d-\d\dT\S+Z \(tickhaul download .*\)$/);
  }
  first.child.kill('SIGTERM');
  assert.equal((await first.finished).exitCode, 143);
  const alone = await runHere([...words, '--date', '2024-03-02'], { env });
  assert.deepEqual([alone.exitCode, /another run/.test(alone.stderr)], [0, false]);
});
