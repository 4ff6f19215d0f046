import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { fronted } from '../../helpers/gate.js';
import { memoryDestination } from '../../helpers/memory-destination.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { converting } from '../conversion/converting.js';
import { NAME, run } from '../runs.js';

const PAGE = '<!doctype html>\n<html><head><title>Sign in</title></head></html>\n';

/** Complete gzip files that are not the requested day. */
const WRONG: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  'a page': () => gzipSync(PAGE),
  'a page of many megabytes': () => gzipSync(PAGE.repeat(1_000_000), { level: 1 }),
  'the day file, compressed once more': (body) => gzipSync(body, { level: 0 }),
  'another symbol': (body) => gzipSync(gunzipSync(body).toString().replaceAll('BTCUSDT', 'ETHUSDT')),
  'another day': (body) =>
    gzipSync(
      gunzipSync(body)
        .toString()
        .replaceAll(/,17092\d{11}/g, ',1709467200000000'),
    ),
};

const toLarge = (body: Buffer): Buffer => gzipSync(gunzipSync(body), { level: 0 });

/** A front before a service, with an empty folder. @param rows enough that the body is streamed. */
async function setUp(t: TestContext, rows: number) {
  return { front: await fronted(t, await sandbox(t, { rows })), dir: await tempDir(t) };
}

for (const [name, spoil] of Object.entries(WRONG)) {
  for (const rows of [300, 5000]) {
    test(`refuses ${name} of ${rows} rows after one retry, and keeps nothing of it`, async (t) => {
      const { front, dir } = await setUp(t, rows);
      front.replace = (body) => spoil(rows > 300 ? toLarge(body) : body);
      const store = memoryDestination();
      for (const where of [dir, store]) {
        const before = front.requests.length;
        const { summary, files } = await run(front.service, where);
        assert.deepEqual([summary.exitCode, files[0]?.error?.code], [6, 'corrupt']);
        const message = files[0]?.error?.message ?? '';
        assert.match(message, new RegExp(`^${NAME}: line [12], [^\\n]*$`));
        assert.equal(message.split(NAME).length, 2, 'the path once');
        assert.equal(front.requests.length - before, 2);
      }
      assert.deepEqual(
        (await readdir(dir)).filter((each) => each !== '.tickhaul'),
        [],
      );
      assert.equal((await openFolderManifest(dir, { warn: assert.fail })).size, 0);
      assert.deepEqual([store.paths(), store.underway.now, (await store.records()).size], [[], 0, 0]);
    });
  }
}

test('recovers if only the first response is wrong, with a conversion too', async (t) => {
  for (const rows of [300, 5000]) {
    const { front, dir } = await setUp(t, rows);
    let isFirst = true;
    front.replace = () => {
      if (!isFirst) return undefined;
      isFirst = false;
      return gzipSync(PAGE);
    };
    const { summary } = await run(front.service, dir, converting());
    assert.equal(summary.exitCode, 0);
    assert.match(gunzipSync(await readFile(join(dir, NAME))).toString(), /^exchange,symbol,/);
  }
});

test('neither a conversion nor an audit sees the text of a wrong file', async (t) => {
  const { front, dir } = await setUp(t, 5000);
  front.replace = () => gzipSync(PAGE);
  const { summary, files } = await run(front.service, dir, converting());
  assert.deepEqual([summary.exitCode, summary.counts], [6, { failed: 1 }]);
  assert.match(files[0]?.error?.message ?? '', /: line 1, no header: the line begins with "<!doctype html>"/);
});
