import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { IdentityStore } from '../../src/account/identity-store.js';
import { tempDir } from '../helpers/temp.js';
import { EMAIL, openStore } from './helpers.js';

const HOST = 'auth.example.com';
const FIRST = { assertion: 'first-assertion', refreshToken: 'first-refresh' };
const SECOND = { assertion: 'second-assertion', refreshToken: 'second-refresh' };

interface StoredIdentity {
  readonly store: IdentityStore;
  readonly folder: string;
  /** The file of the identity. */
  readonly path: string;
}

async function storeIdentity(t: TestContext): Promise<StoredIdentity> {
  const configDir = join(await tempDir(t), 'a', 'tickhaul');
  const store = openStore(configDir);
  await store.update(HOST, EMAIL, async () => FIRST);
  const folder = join(configDir, 'identities');
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.json'));
  return { store, folder, path: join(folder, name) };
}

const OWN = { issuer: HOST, api: 'https://api.tardis.dev', email: EMAIL };
const readMode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('stores an identity by issuer and e-mail, in a file of mode 0600 in a folder of mode 0700', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  assert.deepEqual([await readMode(folder), await readMode(path)], [0o700, 0o600]);
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { ...OWN, ...FIRST });
  assert.deepEqual(await store.read(HOST, 'JO@example.com'), { ...OWN, ...FIRST });
  assert.equal(await store.read('other.example.com', EMAIL), undefined);
  assert.equal(await store.read(HOST, 'ann@example.com'), undefined);
});

test('an update gets the stored identity and replaces it, and writes nothing without a change', async (t) => {
  const { store, path } = await storeIdentity(t);
  const before = await stat(path, { bigint: true });
  await store.update(HOST, EMAIL, async (current) => current ?? assert.fail());
  assert.equal((await stat(path, { bigint: true })).ino, before.ino);
  await store.update(HOST, EMAIL, async (current) => {
    assert.equal(current?.assertion, FIRST.assertion);
    return SECOND;
  });
  assert.deepEqual(await store.list(), [{ ...OWN, ...SECOND }]);
  assert.equal(await readMode(path), 0o600);
});

test('gives an identity to the API that it was made for only; any store lists and removes it', async (t) => {
  const { folder } = await storeIdentity(t);
  const other = openStore(join(folder, '..'), 'https://other.example.com');
  const refusal = {
    code: 'not_signed_in',
    message: /is for https:\/\/api\.tardis\.dev, not for https:\/\/other/,
  };
  await assert.rejects(other.read(HOST, EMAIL), refusal);
  await assert.rejects(
    other.update(HOST, EMAIL, async () => assert.fail()),
    refusal,
  );
  assert.deepEqual(await other.list(), [{ ...OWN, ...FIRST }]);
  assert.deepEqual(
    await openStore(join(folder, '..'), 'HTTPS://API.tardis.dev:443/mirror').read(HOST, EMAIL),
    { ...OWN, ...FIRST },
    'the same origin',
  );
  assert.equal(await other.remove(), 1);
});

test('a failed update changes nothing and leaves no file', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  const text = await readFile(path, 'utf8');
  await assert.rejects(
    store.update(HOST, EMAIL, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await readFile(path, 'utf8'), text);
  assert.deepEqual((await readdir(folder)).sort(), ['.tickhaul', path.slice(folder.length + 1)]);
});

test('concurrent updates run one after the other', async (t) => {
  const { store } = await storeIdentity(t);
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

for (const [what, mode, privateMode] of [
  ['file', 0o640, 600],
  ['file', 0o604, 600],
  ['folder', 0o750, 700],
] as const) {
  test(`refuses a ${what} of mode ${mode.toString(8)} and shows the command that corrects it`, async (t) => {
    const { store, folder, path } = await storeIdentity(t);
    const wide = what === 'file' ? path : folder;
    await chmod(wide, mode);
    const refusal = { code: 'usage', message: new RegExp(`chmod ${privateMode} ${wide}$`) };
    await assert.rejects(store.read(HOST, EMAIL), refusal);
    await assert.rejects(store.list(), refusal);
    await assert.rejects(
      store.update(HOST, EMAIL, () => assert.fail('unexpected call')),
      refusal,
    );
    await chmod(wide, what === 'file' ? 0o600 : 0o700);
    assert.equal((await store.read(HOST, EMAIL))?.assertion, FIRST.assertion);
  });
}

test('does not follow a symbolic link to an identity', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  await rename(path, join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), path);
  await assert.rejects(store.read(HOST, EMAIL), { code: 'disk', message: /symbolic link/ });
});

test('accepts a link to a folder and checks the mode of its target', async (t) => {
  const { store, folder } = await storeIdentity(t);
  const target = `${folder}.real`;
  await rename(folder, target);
  await symlink(target, folder);
  await store.update(HOST, EMAIL, async () => SECOND);
  assert.equal((await store.read(HOST, EMAIL))?.assertion, SECOND.assertion);
  await chmod(target, 0o755);
  const refusal = { code: 'usage', message: new RegExp(`mode 0755.* chmod 700 ${folder}$`) };
  await assert.rejects(store.read(HOST, EMAIL), refusal);
});

for (const text of ['', '{"issuer":"auth', '[]', 'null', '{"issuer":"a","email":"b","assertion":"c"}']) {
  test(`${JSON.stringify(text)} is a damaged identity, and removing all identities removes it`, async (t) => {
    const { store, path } = await storeIdentity(t);
    await writeFile(path, text);
    await assert.rejects(store.read(HOST, EMAIL), { code: 'usage', message: new RegExp(`rm ${path}`) });
    assert.equal(await store.remove(), 1);
    assert.equal(await store.read(HOST, EMAIL), undefined);
  });
}

test('the next update removes temporary files of a crash, which never count as identities', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  await writeFile(`${path}.b1946ac9.tmp`, 'half', { mode: 0o600 });
  assert.equal((await store.list()).length, 1);
  await store.update(HOST, EMAIL, async () => SECOND);
  assert.ok((await readdir(folder)).every((name) => !name.endsWith('.tmp')));
});

test('removing identities removes temporary files of a crash', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  const left = join(folder, `${'0'.repeat(64)}.json.b1946ac9.tmp`);
  await writeFile(left, JSON.stringify(FIRST), { mode: 0o600 });
  await store.update(HOST, 'ann@example.com', async () => SECOND);
  assert.equal(await store.remove(({ email }) => email === EMAIL), 1);
  await assert.rejects(stat(left), { code: 'ENOENT' });
  await writeFile(`${path}.b1946ac9.tmp`, JSON.stringify(FIRST), { mode: 0o600 });
  assert.equal(await store.remove(), 1);
  assert.deepEqual(await readdir(folder), ['.tickhaul']);
});

test('updating one identity does not block or affect others', async (t) => {
  const { store, folder } = await storeIdentity(t);
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

test('skips and reports unreadable files when removing others', async (t) => {
  const { store, folder, path } = await storeIdentity(t);
  await store.update(HOST, 'ann@example.com', async () => SECOND);
  const ann = (await readdir(folder)).find((name) => name.endsWith('.json') && join(folder, name) !== path);
  await chmod(join(folder, ann ?? ''), 0o644);
  await writeFile(join(folder, 'b.json'), '{', { mode: 0o600 });
  const reported: string[] = [];
  assert.equal(
    await store.remove(
      ({ email }) => email === EMAIL,
      ({ message }) => reported.push(message),
    ),
    1,
  );
  assert.equal(reported.length, 2);
  assert.ok(reported.some((message) => message.includes('mode 0644')));
  assert.ok(reported.some((message) => message.includes('b.json: the identity is damaged')));
});

test('removes one identity or all', async (t) => {
  const { store } = await storeIdentity(t);
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

test('an empty store is no error and creates no folder', async (t) => {
  const configDir = join(await tempDir(t), 'config');
  const store = openStore(configDir);
  assert.deepEqual(
    [await store.list(), await store.read(HOST, EMAIL), await store.remove()],
    [[], undefined, 0],
  );
  await assert.rejects(stat(configDir), { code: 'ENOENT' });
});

test('prepare fails if the folder cannot be created', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'file'), '');
  const store = openStore(join(dir, 'file', 'tickhaul'));
  await assert.rejects(store.prepare(HOST, EMAIL), { code: 'disk' });
  await mkdir(join(dir, 'config'));
  await openStore(join(dir, 'config')).prepare(HOST, EMAIL);
  assert.deepEqual(await openStore(join(dir, 'config')).list(), []);
});

test('a folder with the name of an identity file is an error that names it', async (t) => {
  const { store, folder } = await storeIdentity(t);
  await mkdir(join(folder, 'x.json'));
  await assert.rejects(store.remove(undefined), { code: 'disk', message: /x\.json: a folder has the name/ });
});
