import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../../src/dataset/day.js';
import { compactManifest } from '../../../src/store/manifest/compact.js';
import { type Manifest, openManifest } from '../../../src/store/manifest/manifest.js';
import { formatLine, parseLine } from '../../../src/store/manifest/manifest-line.js';
import { recordOf } from './records.js';

let dir = '';
let path = '';
let warnings: string[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tickhaul-manifest-'));
  path = join(dir, '.tickhaul', 'manifest.jsonl');
  warnings = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const openIt = (): Promise<Manifest> => openManifest(dir, { warn: (message) => warnings.push(message) });
const paths = (manifest: Manifest): string[] => [...manifest.records()].map((record) => record.path);

async function writeRaw(text: string): Promise<void> {
  await mkdir(join(dir, '.tickhaul'), { recursive: true });
  await writeFile(path, text);
}

async function startChild(prefix: string, count: number) {
  const script = join(import.meta.dirname, 'append-child.js');
  return spawn(process.execPath, [script, dir, prefix, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('a record survives being written and read, whatever its symbol', () => {
  const record = fc
    .tuple(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.nat(),
      fc.option(fc.string()),
      fc.nat(40_000),
    )
    .map(([symbol, path, rows, etag, day]) => {
      const { etag: _, ...plain } = recordOf(path, rows);
      return {
        ...plain,
        file: { ...plain.file, symbol, day: day as Day },
        md5Match: etag === null ? null : false,
        ...(etag === null ? {} : { etag }),
      };
    });
  fc.assert(
    fc.property(record, (value) => {
      const line = formatLine(value);
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.deepEqual(parseLine(line), value);
    }),
  );
});

test('a line keeps the flat names that others read', () => {
  assert.deepEqual(Object.keys(JSON.parse(formatLine(recordOf('a')))), [
    ...['exchange', 'dataType', 'symbol', 'date', 'path', 'bytes', 'md5', 'sha256', 'md5Match', 'rows'],
    ...['etag', 'time', 'version'],
  ]);
});

for (const key of ['exchange', 'date', 'path', 'bytes', 'md5', 'md5Match', 'rows', 'time']) {
  test(`a line without a right ${key} is no record`, () => {
    const fields = JSON.parse(formatLine(recordOf('a'))) as Record<string, unknown>;
    assert.notEqual(parseLine(JSON.stringify(fields)), undefined);
    assert.equal(parseLine(JSON.stringify({ ...fields, [key]: {} })), undefined);
  });
}

test('a folder without a manifest has an empty one, and opening it writes nothing', async () => {
  const manifest = await openIt();
  assert.equal(manifest.size, 0);
  assert.equal(manifest.get('a'), undefined);
  await manifest.close();
  await assert.rejects(stat(join(dir, '.tickhaul')), { code: 'ENOENT' });
});

test('the last line of a path wins, now and after opening it again', async () => {
  const first = await openIt();
  await Promise.all([
    first.append(recordOf('a', 1)),
    first.append(recordOf('b', 2)),
    first.append(recordOf('a', 3)),
  ]);
  assert.deepEqual(first.get('a'), recordOf('a', 3));
  await first.close();
  const second = await openIt();
  assert.equal(second.size, 2);
  assert.deepEqual(second.get('a'), recordOf('a', 3));
  assert.deepEqual(paths(second), ['a', 'b']);
  await second.close();
  assert.deepEqual(warnings, []);
});

test('a half-written last line is passed over with a warning, and the next record begins a line', async () => {
  await writeRaw(formatLine(recordOf('a')) + formatLine(recordOf('b')).slice(0, 60));
  const manifest = await openIt();
  assert.deepEqual(paths(manifest), ['a']);
  assert.match(warnings.join(), /manifest\.jsonl: the last line is cut off/);
  await manifest.append(recordOf('c'));
  await manifest.close();
  assert.deepEqual(paths(await openIt()), ['a', 'c']);
});

test('a line that another process left half-written after the opening swallows nothing', async () => {
  const manifest = await openIt();
  await manifest.append(recordOf('a'));
  await appendFile(path, '{"exchange":"bin');
  await manifest.append(recordOf('b'));
  await manifest.close();
  assert.deepEqual(paths(await openIt()), ['a', 'b']);
});

test('damaged lines and paths that lead outside are passed over, each kind with one warning', async () => {
  const outside = ['/etc/passwd', '../x', 'a/../../x', 'a\\..\\x', 'C:/x', 'C:x', ''];
  const own = ['.tickhaul/manifest.jsonl', '.TICKHAUL/lock', 'a/.tickhaul/x'];
  await writeRaw(
    ['{', 'null', '[]', '\u0000\u0000'].map((line) => `${line}\n`).join('') +
      [...outside, ...own].map((name) => formatLine(recordOf(name))).join('') +
      formatLine(recordOf('good')),
  );
  const manifest = await openIt();
  assert.deepEqual(paths(manifest), ['good']);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /4 damaged lines passed over, the first is line 1$/);
  assert.match(
    warnings[1] ?? '',
    /10 records with a path outside the folder passed over, the first is line 5$/,
  );
});

test('paths that lead outside are told of once, and not at each opening', async () => {
  await writeRaw([recordOf('../x'), recordOf('good')].map(formatLine).join(''));
  await openIt();
  await openIt();
  assert.equal(warnings.length, 1);
});

test('a single damaged line is counted as one', async () => {
  await writeRaw(`{\n${formatLine(recordOf('/a'))}`);
  await openIt();
  assert.match(warnings[0] ?? '', /: 1 damaged line passed over, the first is line 1$/);
  assert.match(warnings[1] ?? '', /: 1 record with a path outside the folder passed over/);
});

test('lines longer than a read, and letters cut by one, are read right', async () => {
  const names = ['é'.repeat(700_000), 'x', `€${'漢'.repeat(400_000)}`];
  await writeRaw(names.map((name) => formatLine(recordOf(name))).join(''));
  assert.deepEqual(paths(await openIt()), names);
});

test('a grown manifest is compacted at opening, and keeps the last line of each path', async () => {
  await writeRaw(Array.from({ length: 1200 }, (_, n) => formatLine(recordOf(`${n % 500}`, n))).join(''));
  const manifest = await openIt();
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 501);
  assert.equal(manifest.get('7')?.rows, 1007);
  await manifest.append(recordOf('new'));
  await manifest.close();
  assert.equal((await openIt()).size, 501);
});

test('a manifest that grew while open is compacted at closing', async () => {
  const manifest = await openIt();
  await Promise.all(Array.from({ length: 1200 }, (_, n) => manifest.append(recordOf(`${n % 3}`, n))));
  await manifest.close();
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 4);
});

test('of two compactors one stands back, unless the other left ten minutes ago', async () => {
  await writeRaw(formatLine(recordOf('a', 1)) + formatLine(recordOf('a', 2)));
  await writeFile(`${path}.compact`, 'half');
  assert.equal(await compactManifest(path, Date.now()), false);
  assert.equal(await readFile(`${path}.compact`, 'utf8'), 'half');
  const longAgo = new Date(Date.now() - 11 * 60_000);
  await utimes(`${path}.compact`, longAgo, longAgo);
  assert.equal(await compactManifest(path, Date.now()), true);
  assert.equal(await readFile(path, 'utf8'), formatLine(recordOf('a', 2)));
  await assert.rejects(stat(`${path}.compact`), { code: 'ENOENT' });
});

test('a process that had the old file open at a compaction appends to the new one', async () => {
  const manifest = await openIt();
  await manifest.append(recordOf('a'));
  assert.equal(await compactManifest(path, Date.now()), true);
  await manifest.append(recordOf('b'));
  await manifest.close();
  assert.deepEqual(paths(await openIt()), ['a', 'b']);
});

test('four processes append while a fifth compacts again and again: nothing is lost', async () => {
  const names = ['p', 'q', 'r', 's'];
  const children = await Promise.all(names.map((name) => startChild(name, 500)));
  for (const child of children) child.stdout.resume();
  const exits = children.map((child) => once(child, 'exit'));
  let running = true;
  const all = Promise.all(exits).finally(() => {
    running = false;
  });
  let compactions = 0;
  while (running) {
    const done = await compactManifest(path, Date.now()).catch((error: NodeJS.ErrnoException) => {
      assert.equal(error.code, 'ENOENT');
      return false;
    });
    if (done) compactions++;
    await new Promise(setImmediate);
  }
  for (const [code] of await all) assert.equal(code, 0);
  assert.ok(compactions > 0);
  const manifest = await openIt();
  const want = names.flatMap((name) => Array.from({ length: 500 }, (_, n) => `${name}/${n}.csv.gz`));
  assert.deepEqual(paths(manifest).sort(), want.sort());
  assert.deepEqual(warnings, []);
});

test('after kill -9 in the middle of appends, all that was reported as written is there', async () => {
  const child = await startChild('k', 1_000_000);
  let reported = 0;
  child.stdout.on('data', (dots: Buffer) => {
    reported += dots.length;
    if (reported > 200) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const manifest = await openIt();
  assert.ok(reported > 200 && manifest.size >= reported, `${manifest.size} of ${reported}`);
  await manifest.append(recordOf('after'));
  await manifest.close();
  assert.notEqual((await openIt()).get('after'), undefined);
});

test('a manifest that cannot be opened is an error that names it', async () => {
  await writeFile(join(dir, '.tickhaul'), 'a file');
  await assert.rejects(openIt(), { code: 'disk', message: /manifest\.jsonl/ });
});

test('a manifest that is a symbolic link is refused, whether it was one before or became one', async () => {
  const elsewhere = join(dir, 'elsewhere');
  await writeFile(elsewhere, '');
  const refused = { code: 'disk', message: /manifest\.jsonl: a symbolic link stands here/ };
  const manifest = await openIt();
  await mkdir(join(dir, '.tickhaul'));
  await symlink(elsewhere, path);
  await assert.rejects(manifest.append(recordOf('a')), refused);
  await assert.rejects(openIt(), refused);
  assert.equal(await readFile(elsewhere, 'utf8'), '');
});

test('a download folder that is itself a symbolic link has its manifest where it leads', async () => {
  const real = join(dir, 'real');
  await mkdir(real);
  await symlink(real, join(dir, 'linked'));
  const manifest = await openManifest(join(dir, 'linked'), { warn: assert.fail });
  await manifest.append(recordOf('a'));
  await manifest.close();
  assert.deepEqual(paths(await openManifest(real, { warn: assert.fail })), ['a']);
});

test('a failed append is reported, and the next one is tried anew', async () => {
  const manifest = await openIt();
  await writeFile(join(dir, '.tickhaul'), 'a file');
  await assert.rejects(manifest.append(recordOf('a')), { code: 'disk', message: /manifest\.jsonl/ });
  await rm(join(dir, '.tickhaul'));
  await manifest.append(recordOf('b'));
  assert.deepEqual(paths(manifest), ['b']);
  await manifest.close();
});

test('a record of which nothing is left is known no more, after a compaction too', async () => {
  const first = await openIt();
  const [gone, kept] = [recordOf('gone.csv.gz'), recordOf('kept.csv.gz')];
  await first.append(gone);
  await first.append(kept);
  await first.append({ ...gone, dropped: true });
  assert.deepEqual([first.size, paths(first)], [1, ['kept.csv.gz']]);
  await first.close();
  assert.deepEqual(paths(await openIt()), ['kept.csv.gz']);
  assert.equal(await compactManifest(path, Date.now()), true);
  assert.equal((await readFile(path, 'utf8')).trim().split('\n').length, 1);
  const again = await openIt();
  await again.append(gone);
  await again.close();
  assert.deepEqual(paths(await openIt()), ['kept.csv.gz', 'gone.csv.gz']);
});
