import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openPartFile } from '../../../src/store/folder/local-files.js';
import { tempDir } from '../../helpers/temp.js';

const ROUNDS = 150;
const WRITERS = 3;

test('writers of one file publish it whole, or end with locked', async (t) => {
  const dir = await tempDir(t);
  for (let round = 0; round < ROUNDS; round++) {
    const target = join(dir, `${round}.parquet`);
    const codes = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        // The steps of the writers meet differently in each round.
        for (let turn = 0; turn < writer * round; turn++) await setImmediate();
        return writeFileOf(target, `${writer}`.repeat(1000));
      }),
    );
    const others = codes.filter((code) => code !== undefined);
    assert.deepEqual(new Set(others), new Set(others.length > 0 ? ['locked'] : []));
    if (others.length < WRITERS) assert.match(await readFile(target, 'utf8'), /^(.)\1{999}$/);
  }
  assert.deepEqual(
    (await readdir(dir)).filter((name) => !name.endsWith('.parquet')),
    [],
  );
});

/** Returns the error's code if the file was not published. */
async function writeFileOf(target: string, content: string): Promise<string | undefined> {
  try {
    const part = await openPartFile(target);
    try {
      for (const half of [content.slice(0, 500), content.slice(500)]) await part.write(Buffer.from(half));
      await part.publish();
      return undefined;
    } finally {
      await part.discard();
    }
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

test('publishes a file under a name that is known at its end', async (t) => {
  const dir = await tempDir(t);
  const first = await openPartFile(join(dir, 'unnamed'));
  await first.write(Buffer.from('first'));
  const second = await openPartFile(join(dir, 'unnamed'));
  await second.write(Buffer.from('second'));
  await assert.rejects(first.publish(join(dir, 'first')), { code: 'locked' });
  await first.discard();
  await second.publish(join(dir, 'second'));
  await second.discard();
  assert.equal(await readFile(join(dir, 'second'), 'utf8'), 'second');
  assert.deepEqual(await readdir(dir), ['second']);
});

test('a suspended file goes on where it was, unless another run has taken its path', async (t) => {
  const dir = await tempDir(t);
  const target = join(dir, 'a.parquet');
  const part = await openPartFile(target);
  for (const text of ['a', 'b', 'c']) {
    await part.write(Buffer.from(text));
    await part.suspend?.();
    await part.suspend?.();
  }
  await part.publish();
  assert.equal(await readFile(target, 'utf8'), 'abc');

  const first = await openPartFile(target);
  await first.write(Buffer.from('abc'));
  await first.suspend?.();
  // It may get the inode number of the first.
  const second = await openPartFile(target);
  await second.write(Buffer.from('xyz'));
  await assert.rejects(first.write(Buffer.from('d')), { code: 'locked' });
  await assert.rejects(first.publish(), { code: 'locked' });
  await first.discard();
  await second.publish();
  assert.equal(await readFile(target, 'utf8'), 'xyz');

  const gone = await openPartFile(target);
  await gone.suspend?.();
  await gone.discard();
  assert.deepEqual(await readdir(dir), ['a.parquet']);
});
