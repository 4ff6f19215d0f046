import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { IdentityStore } from '../../../src/account/identities/identity-store.js';
import { tempDir } from '../../helpers/temp.js';
import { EMAIL, storeIn } from '../helpers.js';

const HOST = 'auth.example.com';
const FIRST = { assertion: 'first-assertion', refreshToken: 'first-refresh' };
const SECOND = { assertion: 'second-assertion', refreshToken: 'second-refresh' };

interface Kept {
  readonly store: IdentityStore;
  readonly folder: string;
  /** The file of the identity. */
  readonly path: string;
}

async function kept(t: TestContext): Promise<Kept> {
  const configDir = join(await tempDir(t), 'a', 'tickhaul');
  const store = storeIn(configDir);
  await store.update(HOST, EMAIL, async () => FIRST);
  const folder = join(configDir, 'identities');
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
  return { store, folder, path: join(folder, name) };
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('an identity is kept for its issuer and e-mail, in a file of 0600 in a folder of 0700', async (t) => {
  const { store, folder, path } = await kept(t);
  assert.deepEqual([await modeOf(folder), await modeOf(path)], [0o700, 0o600]);
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { issuer: HOST, email: EMAIL, ...FIRST });
  assert.deepEqual(await store.read(HOST, 'JO@example.com'), { issuer: HOST, email: EMAIL, ...FIRST });
  assert.equal(await store.read('other.example.com', EMAIL), undefined);
  assert.equal(await store.read(HOST, 'ann@example.com'), undefined);
});

test('an update is given what stands there, and replaces it; no change writes nothing', async (t) => {
  const { store, path } = await kept(t);
  const before = await stat(path, { bigint: true });
  await store.update(HOST, EMAIL, async (current) => current ?? assert.fail());
  assert.equal((await stat(path, { bigint: true })).ino, before.ino);
  await store.update(HOST, EMAIL, async (current) => {
    assert.equal(current?.assertion, FIRST.assertion);
    return SECOND;
  });
  assert.deepEqual(await store.list(), [{ issuer: HOST, email: EMAIL, ...SECOND }]);
  assert.equal(await modeOf(path), 0o600);
});

test('an update that fails leaves all as it was, and no file behind', async (t) => {
  const { store, folder, path } = await kept(t);
  const text = await readFile(path, 'utf8');
  await assert.rejects(
    store.update(HOST, EMAIL, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await readFile(path, 'utf8'), text);
  assert.deepEqual((await readdir(folder)).sort(), ['.tickhaul', path.slice(folder.length + 1)]);
});

test('of updates at once each sees what the one before it stored', async (t) => {
  const { store } = await kept(t);
  const seen: (string | undefined)[] = [];
  const updates = Array.from({ length: 20 }, (_, i) =>
    store.update(HOST, EMAIL, async (current) => {
      seen.push(current?.refreshToken);
      await new Promise(setImmediate);
      return { assertion: `${i}`, refreshToken: `${i}` };
    }),
  );
  const all = await Promise.all(updates);
  const last = await store.read(HOST, EMAIL);
  assert.equal(new Set(seen).size, 20);
  const expected = [FIRST.refreshToken, ...all.map(({ refreshToken }) => refreshToken)];
  assert.deepEqual([...seen, last?.refreshToken].sort(), expected.sort());
});

for (const [what, mode, wanted] of [
  ['file', 0o640, 600],
  ['file', 0o604, 600],
  ['folder', 0o750, 700],
] as const) {
  test(`a ${what} of mode ${mode.toString(8)} is refused with the command that mends it`, async (t) => {
    const { store, folder, path } = await kept(t);
    const wide = what === 'file' ? path : folder;
    await chmod(wide, mode);
    const refusal = { code: 'usage', message: new RegExp(`chmod ${wanted} ${wide}$`) };
    await assert.rejects(store.read(HOST, EMAIL), refusal);
    await assert.rejects(store.list(), refusal);
    await assert.rejects(
      store.update(HOST, EMAIL, () => assert.fail('not to be asked for')),
      refusal,
    );
    await chmod(wide, what === 'file' ? 0o600 : 0o700);
    assert.equal((await store.read(HOST, EMAIL))?.assertion, FIRST.assertion);
  });
}

test('a symbolic link in the place of an identity is not followed', async (t) => {
  const { store, folder, path } = await kept(t);
  await rename(path, join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), path);
  await assert.rejects(store.read(HOST, EMAIL), { code: 'disk', message: /symbolic link/ });
});

test('a folder may be a link: what counts is the mode of the folder behind it', async (t) => {
  const { store, folder } = await kept(t);
  const behind = `${folder}.real`;
  await rename(folder, behind);
  await symlink(behind, folder);
  await store.update(HOST, EMAIL, async () => SECOND);
  assert.equal((await store.read(HOST, EMAIL))?.assertion, SECOND.assertion);
  await chmod(behind, 0o755);
  const refusal = { code: 'usage', message: new RegExp(`mode 0755.* chmod 700 ${folder}$`) };
  await assert.rejects(store.read(HOST, EMAIL), refusal);
});

for (const text of ['', '{"issuer":"auth', '[]', 'null', '{"issuer":"a","email":"b","assertion":"c"}']) {
  test(`${JSON.stringify(text)} is a damaged identity, which logout --all can remove`, async (t) => {
    const { store, path } = await kept(t);
    await writeFile(path, text);
    await assert.rejects(store.read(HOST, EMAIL), { code: 'usage', message: new RegExp(`rm ${path}`) });
    assert.equal(await store.remove(), 1);
    assert.equal(await store.read(HOST, EMAIL), undefined);
  });
}

test('what a crash left behind goes with the next update, and never counts as an identity', async (t) => {
  const { store, folder, path } = await kept(t);
  await writeFile(`${path}.b1946ac9.tmp`, 'half', { mode: 0o600 });
  assert.equal((await store.list()).length, 1);
  await store.update(HOST, EMAIL, async () => SECOND);
  assert.ok((await readdir(folder)).every((name) => !name.endsWith('.tmp')));
});

test('a crash in the middle of writing leaves nothing behind after a logout', async (t) => {
  const { store, folder, path } = await kept(t);
  const left = join(folder, `${'0'.repeat(64)}.json.b1946ac9.tmp`);
  await writeFile(left, JSON.stringify(FIRST), { mode: 0o600 });
  await store.update(HOST, 'ann@example.com', async () => SECOND);
  assert.equal(await store.remove(({ email }) => email === EMAIL), 1);
  await assert.rejects(stat(left), { code: 'ENOENT' });
  await writeFile(`${path}.b1946ac9.tmp`, JSON.stringify(FIRST), { mode: 0o600 });
  assert.equal(await store.remove(), 1);
  assert.deepEqual(await readdir(folder), ['.tickhaul']);
});

test('while one identity is made, another is made, read and forgotten; what is made stays out of it', async (t) => {
  const { store, folder } = await kept(t);
  await store.update(HOST, 'bob@example.com', async () => {
    const before = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
    await store.update(HOST, 'ann@example.com', async () => SECOND);
    assert.equal((await store.list()).length, 2);
    assert.equal(await store.remove(({ email }) => email === EMAIL), 1);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.tmp')),
      before,
    );
    return FIRST;
  });
  assert.deepEqual((await store.list()).map(({ email }) => email).sort(), [
    'ann@example.com',
    'bob@example.com',
  ]);
});

test('files that cannot be read are passed over, told, and keep no other from going', async (t) => {
  const { store, folder, path } = await kept(t);
  await store.update(HOST, 'ann@example.com', async () => SECOND);
  const ann = (await readdir(folder)).find((name) => name.endsWith('.json') && join(folder, name) !== path);
  await chmod(join(folder, ann ?? ''), 0o644);
  await writeFile(join(folder, 'b.json'), '{', { mode: 0o600 });
  const told: string[] = [];
  assert.equal(
    await store.remove(
      ({ email }) => email === EMAIL,
      ({ message }) => told.push(message),
    ),
    1,
  );
  assert.equal(told.length, 2);
  assert.ok(told.some((message) => message.includes('mode 0644')));
  assert.ok(told.some((message) => message.includes('b.json: a damaged identity')));
});

test('identities are forgotten one by one, or all', async (t) => {
  const { store } = await kept(t);
  for (const email of ['ann@example.com', 'bob@example.com']) {
    await store.update(HOST, email, async () => SECOND);
  }
  assert.equal(await store.remove(({ email }) => email === EMAIL), 1);
  assert.deepEqual((await store.list()).map(({ email }) => email).sort(), [
    'ann@example.com',
    'bob@example.com',
  ]);
  assert.equal(await store.remove(), 2);
  assert.equal(await store.remove(), 0);
});

test('nothing stored is no error, and makes no folder', async (t) => {
  const configDir = join(await tempDir(t), 'config');
  const store = storeIn(configDir);
  assert.deepEqual(
    [await store.list(), await store.read(HOST, EMAIL), await store.remove()],
    [[], undefined, 0],
  );
  await assert.rejects(stat(configDir), { code: 'ENOENT' });
});

test('a folder that cannot be made shows before anything is asked for', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'file'), '');
  const store = storeIn(join(dir, 'file', 'tickhaul'));
  await assert.rejects(store.prepare(HOST, EMAIL), { code: 'disk' });
  await mkdir(join(dir, 'config'));
  await storeIn(join(dir, 'config')).prepare(HOST, EMAIL);
  assert.deepEqual(await storeIn(join(dir, 'config')).list(), []);
});

test('a folder under the name of an identity is an error that names it', async (t) => {
  const { store, folder } = await kept(t);
  await mkdir(join(folder, 'x.json'));
  await assert.rejects(store.remove(undefined), { code: 'disk', message: /x\.json: a folder has the name/ });
});
