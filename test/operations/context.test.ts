import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import type { RunEvent } from '../../src/events/run-events.js';
import type { CommandHost } from '../../src/operations/command-host.js';
import { type Context, withContext } from '../../src/operations/context.js';
import { readCommandOptions } from '../../src/options/read-options.js';

const FULL = new TickhaulError('disk', 'list.jsonl: the disk is full');

/** Runs work that leaves something which cannot be closed. */
async function run(work: (context: Context) => Promise<void>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const host = { signal: new AbortController().signal, env: {} } as unknown as CommandHost;
  const running = withContext(
    readCommandOptions({}, {}),
    host,
    { emit: (event) => events.push(event) },
    async (context) => {
      context.defer(() => Promise.reject(FULL));
      await work(context);
    },
  );
  await assert.rejects(running, (error) => {
    events.push({ event: 'note', message: (error as Error).message });
    return true;
  });
  return events;
}

test('an operation fails with its error, and an error of closing after it is a warning', async () => {
  assert.deepEqual(await run(async () => {}), [{ event: 'note', message: FULL.message }]);
  const refused = new TickhaulError('bad_key', 'the service does not accept the key');
  assert.deepEqual(await run(() => Promise.reject(refused)), [
    { event: 'warning', message: FULL.message },
    { event: 'note', message: refused.message },
  ]);
});
