import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readProcessHost } from '../../src/operations/command-host.js';
import { openPing, runHook } from '../../src/operations/notifications.js';
import { cleanUp } from '../helpers/clean-up.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { serve } from '../service/loopback.js';

const host = { ...readProcessHost(process), env: { PATH: process.env['PATH'] } };

test('a command gets the text on stdin, and may ignore it', async (t) => {
  const path = join(await tempDir(t), 'heard');
  await runHook(`cat > '${path}'`, 'x'.repeat(1_000_000), host);
  assert.equal((await readFile(path)).length, 1_000_000);
  await runHook('exec 0<&-; true', 'x'.repeat(1_000_000), host);
});

test('a command that fails or hangs is reported in one line, and its child processes are killed', async (t) => {
  await assert.rejects(
    runHook('echo one >&2; echo two >&2; exit 4', '', host),
    /^Error: exited with code 4: two$/,
  );
  await assert.rejects(runHook('kill -TERM $$', '', host), /^Error: was killed by SIGTERM$/);
  const path = join(await tempDir(t), 'pid');
  const hung = `sleep 600 & echo $! > '${path}'; wait`;
  await assert.rejects(
    // Enough time for a shell to start, also on a busy machine.
    runHook(hung, '', host, { timeoutMs: 2000 }),
    /^Error: took longer than 2s and was killed$/,
  );
  const pid = Number(await readFile(path, 'utf8'));
  assert.ok(pid > 0);
  const isGone = async (): Promise<boolean> =>
    readFile(`/proc/${pid}/stat`, 'utf8').then(
      (stat) => / Z /.test(stat),
      () => true,
    );
  await until('its end', isGone);
});

test('reports the last line of a command on a busy process, with keys redacted', async () => {
  const key = 'TD.a-key-of-some-length';
  const env = { ...host.env, TICKHAUL_API_KEY: key };
  const said = Array.from({ length: 20 }, () =>
    runHook(`printf "\\033[31mwith$TICKHAUL_API_KEY ${key}" >&2; exit 1`, '', { ...host, env }),
  );
  const reported = /^Error: exited with code 1: \ufffd\[31mwith \*\*\*$/;
  await Promise.all(said.map((one) => assert.rejects(one, reported)));
});

test('an aborted wait leaves the command running, with its input', async (t) => {
  const path = join(await tempDir(t), 'heard');
  const heard = runHook(`cat > '${path}'; echo $$ >> '${path}'; exec sleep 600`, 'reported ', host, {
    signal: AbortSignal.abort(),
  });
  await assert.rejects(heard, /^Error: was left running/);
  const pid = await until('what it was reported', async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return /^reported (\d+)\n/.exec(text)?.[1];
  });
  process.kill(Number(pid), 'SIGKILL');
});

test('background processes of a command do not delay the run', async () => {
  await runHook('sleep 600 >&2 & kill -KILL $!', '', host);
});

for (const [statuses, fails] of [
  [[408, 425, 200], undefined],
  [[503, 200], undefined],
  [[404, 200], { code: 'rejected' }],
] as const) {
  test(`a ping that is answered with ${statuses.join(', ')} ${fails ? 'fails' : 'is repeated'}`, async (t) => {
    const left: number[] = [...statuses];
    const base = await serve(t, (_, response) => response.writeHead(left.shift() ?? 500).end());
    const ping = openPing(new URL(base), { env: {} });
    cleanUp(t, () => ping.close());
    const sent = ping.send('success', new AbortController().signal);
    if (fails) await assert.rejects(sent, fails);
    else await sent;
    assert.equal(left.length, fails ? 1 : 0);
  });
}
