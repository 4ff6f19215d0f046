import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { OutputOwner } from '../../src/export/export-target.js';
import { JobIo } from '../../src/export/job-io.js';
import { openSpillFile, SpooledPart } from '../../src/export/job-memory.js';
import { openPartFile } from '../../src/store/folder/local-files.js';
import { openFiles } from '../../src/store/open-files.js';
import { cleanUp } from '../helpers/clean-up.js';
import { tempDir } from '../helpers/temp.js';
import { writeTrades } from './freqtrade/exporting.js';

const OUTPUTS = 150;

function openIo(t: TestContext, out: string, key = 'job'): JobIo {
  const files = openFiles();
  const access = { files, store: undefined, busyThreads: 1 };
  const { signal } = new AbortController();
  const io = new JobIo({ access, out, key, onBytes: () => {}, signal });
  cleanUp(t, () => io.close());
  return io;
}

const ownerOf = (name: string): OutputOwner => ({ name, advise: () => 'leave one out' });
const countOpenFiles = async (): Promise<number> => (await readdir('/dev/fd')).length;

test('a job with many outputs has few of them open, and each has all of its bytes', async (t) => {
  const out = await tempDir(t);
  const before = await countOpenFiles();
  let most = 0;
  const io = openIo(t, out);
  const outputs = [];
  for (let i = 0; i < OUTPUTS; i++) {
    const output = await io.create(`${i % 7}/${i}.bin`, ownerOf(`${i}`));
    await output.write(Buffer.from(`a${i}`));
    most = Math.max(most, await countOpenFiles());
    outputs.push(output);
  }
  // In no order of use.
  for (const i of [...outputs.keys()].reverse()) await outputs[i]?.write(Buffer.from(`b${i}`));
  await Promise.all(outputs.map((output, i) => output.write(Buffer.from(`c${i}`))));
  for (const output of outputs) output.end(3, 0);
  const exported = io.describeOutputs();
  await io.publish();
  assert.ok(most - before <= 40, `${most - before} files were open`);
  for (const [i, { path, bytes }] of exported.entries()) {
    const text = await readFile(join(out, path), 'utf8');
    assert.equal(text, `a${i}b${i}c${i}`);
    assert.equal(bytes, text.length);
  }
  assert.equal(exported.length, OUTPUTS);
});

test('two owners cannot have one output, and one may create it again', async (t) => {
  const io = openIo(t, await tempDir(t));
  const twice = [];
  for (let i = 0; i < 2; i++) twice.push(await io.create('a.bin', ownerOf('A.B')));
  twice[1]?.end(0, 0);
  await assert.rejects(io.create('a.bin', ownerOf('A_B')), {
    code: 'usage',
    message: 'a.bin: A.B and A_B have the same output; leave one out',
  });
  assert.equal(io.describeOutputs().length, 1);
});

test('jobs that write the same path do not disturb each other until they publish', async (t) => {
  const out = await tempDir(t);
  const [first, second, restarted] = ['a', 'b', 'b'].map((key) => openIo(t, out, key)) as [
    JobIo,
    JobIo,
    JobIo,
  ];
  const write = async (io: JobIo, text: string): Promise<void> => {
    const output = await io.create('x.bin', ownerOf('X'), true);
    await output.write(Buffer.from(text));
    output.end(1, 1, { path: `${text}.bin` });
  };
  await write(first, 'first');
  await write(second, 'second');
  assert.deepEqual(
    first.describeOutputs().map(({ path }) => path),
    ['first.bin'],
  );
  // Another run of the same job.
  await write(restarted, 'restarted');
  assert.equal((await readdir(out)).length, 2);
  await first.publish();
  await assert.rejects(second.publish(), { code: 'locked' });
  await restarted.publish();
  for (const text of ['first', 'restarted'])
    assert.equal(await readFile(join(out, `${text}.bin`), 'utf8'), text);
  await second.close();
  assert.deepEqual((await readdir(out)).sort(), ['first.bin', 'restarted.bin']);
});

test('a job whose rows are neither written nor left out by a rule fails', async (t) => {
  const dir = await tempDir(t);
  const rows = [1, 2, 3, 4].map((price) => ({ time: price, price, amount: 1 }));
  const source = await writeTrades(dir, rows);
  for (const [written, leftOut] of [
    [2, 1],
    [4, 1],
    [3, 1],
  ] as const) {
    const io = openIo(t, join(dir, 'out'));
    await io.read(source, { numberText: 'none' }, () => {});
    const output = await io.create('a.bin', ownerOf('A'));
    output.end(written, written);
    (await io.create('a-1m.bin', ownerOf('A'))).end(1, written, { isDerived: true });
    io.leaveOut('no_pair', leftOut);
    if (written + leftOut === rows.length)
      assert.deepEqual(io.countRows(), { read: 4, written, leftOut: { no_pair: leftOut } });
    else
      assert.throws(() => io.countRows(), {
        code: 'bug',
        message: `${source.path}: 4 rows read, ${written} written, 1 left out by a rule; this is a bug in tickhaul, so nothing was exported`,
      });
  }
});

test('objects that wait in a spill file get their own bytes', async (t) => {
  const dir = await tempDir(t);
  const spill = await openSpillFile();
  cleanUp(t, () => spill.close());
  const sizes: number[] = [];
  const parts = ['a', 'b'].map((name) => {
    const part = new SpooledPart(spill, (location, bytes) => {
      sizes.push(bytes);
      return openPartFile(location);
    });
    return { part, location: join(dir, name) };
  });
  for (let turn = 0; turn < 3; turn++)
    await Promise.all(parts.map(({ part }, i) => part.write(Buffer.from(`${i}${turn}`))));
  for (const { part, location } of parts) await part.publish(location);
  assert.deepEqual(sizes, [6, 6]);
  for (const [i, name] of ['a', 'b'].entries())
    assert.equal(await readFile(join(dir, name), 'utf8'), `${i}0${i}1${i}2`);
  for (const { part } of parts) await part.discard();
  assert.deepEqual((await readdir(dir)).sort(), ['a', 'b']);
});
