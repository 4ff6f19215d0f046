import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAULT_KINDS, type FaultKind } from '../../src/sandbox/hosts/sandbox-faults.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { NAME, onDisk, patience, run, setUp } from './runs.js';

const HEALED: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => kind !== 'transfer-limit' && kind !== 'not-json',
);

for (const redirect of [false, true]) {
  for (const kind of HEALED) {
    test(`recovers from a fault "${kind}" at the first attempt${redirect ? ', behind a redirect' : ''}`, async (t) => {
      const { service, dir } = await setUp(t, {
        faults: { [kind]: 1 },
        faultsPerFile: 1,
        retryAfterSeconds: 0,
        redirect,
      });
      const { summary, files } = await run(service, dir, patience(kind));
      assert.equal(summary.exitCode, 0, JSON.stringify(summary));
      assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
      assert.equal((await readFile(join(dir, NAME))).length, files[0]?.bytes);
      assert.ok(service.requests.some((request) => request.fault === kind));
      if (kind === 'wrong-md5') assert.equal(files[0]?.md5Match, false);
    });
  }
}

const LASTING: readonly (readonly [FaultKind, number, string])[] = [
  ['500', 5, 'server_error'],
  ['503', 5, 'server_error'],
  ['stall', 5, 'stalled'],
  ['rate-limit', 5, 'rate_limited'],
  ['transfer-limit', 5, 'transfer_limit'],
  ['ip-lock', 4, 'ip_locked'],
  ['truncate', 6, 'corrupt'],
  ['bit-flip', 6, 'corrupt'],
  ['html', 6, 'corrupt'],
  ['trailing', 6, 'corrupt'],
  ['empty', 6, 'corrupt'],
  ['short', 6, 'short_body'],
];

for (const [kind, exitCode, code] of LASTING) {
  test(`a permanent fault "${kind}" ends with code ${exitCode}, and publishes no file`, async (t) => {
    const { service, dir } = await setUp(t, { faults: { [kind]: 1 }, retryAfterSeconds: 0 });
    const { summary, files } = await run(service, dir, { options: { retries: 1 }, ...patience(kind) });
    assert.equal(summary.exitCode, exitCode);
    assert.deepEqual(
      files.map((event) => [event.status, event.error?.code]),
      [['failed', code]],
    );
    assert.deepEqual((await onDisk(dir)).whole, []);
    const manifest = await openFolderManifest(dir, { warn: assert.fail });
    assert.equal(manifest.size, 0);
  });
}

test('retries start at the first address, with the number of the attempt', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, faults: { truncate: 1 }, faultsPerFile: 2 });
  await run(service, dir);
  const urls = service.requests
    .filter((request) => request.host === 'datasets')
    .map((request) => request.url);
  assert.deepEqual(
    urls.map((url) => url.split('?')[1] ?? ''),
    ['', 'retryAttempt=1', 'retryAttempt=2'],
  );
});
