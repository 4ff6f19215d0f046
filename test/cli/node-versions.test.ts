import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { envOf, jsonLines, tickhaul } from '../helpers/cli.js';
import { sandbox } from '../helpers/sandbox.js';
import { tradesOf } from '../helpers/selection.js';
import { nightlyTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

/** Releases later than the oldest one that is supported; `npm run test:nightly -- node-versions` tests more. */
const VERSIONS = (process.env['NODE_VERSIONS'] ?? '24').split(',');

for (const version of VERSIONS) {
  nightlyTest(`the built command runs on Node ${version}`, async (t) => {
    const npx = ['--yes', `node@${version}`, '-p', 'process.execPath'];
    const found = await promisify(execFile)('npx', npx, { cwd: await tempDir(t) }).catch(() => undefined);
    if (!found) {
      t.skip(`no Node ${version} to be had`);
      return;
    }
    const node = found.stdout.trim();
    const service = await sandbox(t, { redirect: true, faults: { '500': 0.2, truncate: 0.2 } });
    const args = ['download', ...tradesOf('2024-03-01', '2024-03-10'), '--json'];
    const finished = await tickhaul(args, { env: envOf(service, await tempDir(t)), command: [node] });
    assert.equal(finished.exitCode, 0, finished.stderr);
    assert.equal(jsonLines(finished).at(-1)?.['downloaded'], 9);
    assert.doesNotMatch(finished.stderr, /Warning/);
  });
}
