import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

test('the pages of commands match their definitions; npm run reference writes them', async () => {
  await promisify(execFile)(process.execPath, ['scripts/reference.js', '--check'], { cwd: PROJECT });
});
