import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  createReadStream,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { cleanUp } from '../helpers/clean-up.js';
import { failedWith, succeeded } from '../helpers/cli.js';
import { OPTIONS, place } from './output-options.js';

/** Creates a node in a folder; false if that is not permitted. */
function makeNode(t: TestContext, path: string, ...kind: readonly string[]): boolean {
  try {
    execFileSync('mknod', [path, ...kind], { stdio: 'ignore' });
    return true;
  } catch {
    t.diagnostic('no right to make a device here');
    return false;
  }
}

for (const option of OPTIONS) {
  const { content, exitCode = 0, words } = option;
  const name = words.join(' ');

  test(`writes to a device and a named pipe, which keep their type: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    if (makeNode(t, join(dir, 'null'), 'c', '1', '3')) {
      const written = await run(option, 'null');
      assert.equal(written.exitCode, exitCode, written.stderr);
      assert.ok(lstatSync(join(dir, 'null')).isCharacterDevice());
    }
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const [piped, read] = await Promise.all([
      run(option, join(dir, 'pipe')),
      text(createReadStream(join(dir, 'pipe'))),
    ]);
    assert.equal(piped.exitCode, exitCode, piped.stderr);
    assert.match(read, content);
    assert.ok(lstatSync(join(dir, 'pipe')).isFIFO());
    assert.deepEqual(
      readdirSync(dir).filter((entry) => entry !== 'null'),
      ['pipe'],
    );
  });

  test(`writes to descriptors directly: ${name}`, async (t) => {
    const { dir, run, runBuilt } = await place(t);
    const file = join(dir, 'appended');
    writeFileSync(file, 'before\n');
    const fd = openSync(file, 'a');
    const appended = await run(option, `/dev/fd/${fd}`);
    closeSync(fd);
    assert.equal(appended.exitCode, exitCode, appended.stderr);
    const [before, ...rest] = readFileSync(file, 'utf8').split('\n');
    assert.equal(before, 'before');
    assert.match(rest.join('\n'), content);
    const piped = await runBuilt(option, '/dev/stdout', 'exec "$0" "$@"');
    assert.equal(piped.exitCode, exitCode, piped.stderr);
    assert.match(beginningOf(piped.stdout, content), content);
    symlinkSync('/dev/stdout', join(dir, 'link'));
    writeFileSync(file, 'before\n');
    const linked = await runBuilt(option, 'link', 'exec "$0" "$@" >>appended');
    assert.equal(linked.exitCode, exitCode, linked.stderr);
    assert.match(readFileSync(file, 'utf8'), /^before\n./);
    assert.deepEqual(readdirSync(dir).sort(), ['appended', 'link']);
    assert.ok(lstatSync(join(dir, 'link')).isSymbolicLink());
  });

  test(`follows symbolic links and keeps them: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    await mkdir(join(dir, 'real'));
    await mkdir(join(dir, 'links'));
    symlinkSync('../real/new', join(dir, 'links/dangling'));
    symlinkSync('dangling', join(dir, 'links/again'));
    for (const _ of ['a target that is missing', 'one that is there']) {
      const linked = await run(option, 'links/again');
      assert.equal(linked.exitCode, exitCode, linked.stderr);
      assert.match(readFileSync(join(dir, 'real/new'), 'utf8'), content);
      assert.deepEqual(readdirSync(join(dir, 'real')), ['new']);
      assert.deepEqual(readdirSync(join(dir, 'links')), ['again', 'dangling']);
      assert.ok(lstatSync(join(dir, 'links/dangling')).isSymbolicLink());
    }
    if (!option.isMessages) return;
    symlinkSync('../real/packed', join(dir, 'links/packed.gz'));
    await succeeded(run(option, 'links/packed.gz'));
    assert.match(gunzipSync(readFileSync(join(dir, 'real/packed'))).toString(), content);
  });

  test(`folders, sockets and block devices are code 2: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    await mkdir(join(dir, 'folder'));
    symlinkSync('folder', join(dir, 'link'));
    const refused = ['.', '..', 'link', 'absent/'];
    const server = createServer().listen(join(dir, 'socket'));
    cleanUp(t, () => server.close());
    await once(server, 'listening');
    refused.push('socket');
    if (makeNode(t, join(dir, 'block'), 'b', '1', '250')) refused.push('block');
    const before = readdirSync(dir).sort();
    for (const path of refused) {
      await failedWith(
        run(option, path),
        2,
        /^tickhaul: --[a-z-]+: ".*" is a (?:folder|socket|block device); specify a file$/m,
      );
    }
    assert.deepEqual(readdirSync(dir).sort(), before);
    assert.deepEqual(readdirSync(join(dir, 'folder')), []);
  });
}

/** The output itself, without text that follows it on stdout. */
function beginningOf(stdout: string, content: RegExp): string {
  if (content.test(stdout)) return stdout;
  const lines = stdout.split('\n');
  for (let count = 1; count < lines.length; count++) {
    const part = `${lines.slice(0, count).join('\n')}\n`;
    if (content.test(part)) return part;
  }
  return stdout;
}
