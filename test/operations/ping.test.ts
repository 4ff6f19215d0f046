import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPing } from '../../src/operations/notifications.js';
import { cleanUp } from '../helpers/clean-up.js';
import { serve } from '../service/loopback.js';

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
