import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { envOf, type Finished, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { bucketFor, type TestBucket } from '../helpers/s3/bucket.js';
import { type Shim, shimFor } from '../helpers/s3/shim.js';
import { sandbox } from '../helpers/sandbox.js';
import { type ContextWith, storeTest } from '../helpers/services.js';
import { workingDir } from '../helpers/temp.js';
import { FIRST, FOURTH, SECOND, SELECTION, THIRD } from '../verify/helpers.js';

const NAMES = [FIRST, SECOND, THIRD, FOURTH];
const DOWNLOAD = ['download', ...SELECTION];

interface Place {
  readonly bucket: TestBucket;
  readonly shim: Shim;
  /** Working folder of the command. */
  readonly dir: string;
  at(prefix: string): string;
  run(...words: readonly string[]): Promise<Finished>;
}

/** A service of four day files, a bucket, and a command with access to both. */
async function place(t: ContextWith<'store'>): Promise<Place> {
  const [service, bucket, dir] = await Promise.all([sandbox(t), bucketFor(t), workingDir(t)]);
  const shim = await shimFor(t, bucket.gateway.endpoint);
  const { TICKHAUL_DIR: _, ...ours } = envOf(service, dir);
  const env = { ...ours, ...bucket.envHere(shim.endpoint), XDG_CACHE_HOME: join(dir, 'cache') };
  return {
    bucket,
    shim,
    dir,
    at: (prefix) => `s3://${bucket.name}/${prefix}`,
    run: (...words) => runHere(words, { env }),
  };
}

/** A multipart upload, whose ETag is not an MD5. */
async function copyInParts({ client, name: Bucket, read }: TestBucket, Key: string): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const part = { Bucket, Key, UploadId, PartNumber: 1, Body: await read(Key) };
  const { ETag } = await client.send(new UploadPartCommand(part));
  const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
}

storeTest('changes by others in a bucket are found by a listing or by reading, and repaired', async (t) => {
  const { bucket, shim, at, run } = await place(t);
  const verify = async (...flags: readonly string[]) => {
    const finished = await run('verify', '--dir', at('data'), '--json', ...flags);
    const files = jsonLines(finished).filter(({ event }) => event === 'file');
    return { ...finished, reported: files.map(({ path, status }) => `${status} ${path}`).sort() };
  };
  await succeeded(run(...DOWNLOAD, '--convert', 'parquet', '--dir', at('data')));
  const [second, third] = [await bucket.read(`data/${SECOND}`), await bucket.read(`data/${THIRD}`)];
  await copyInParts(bucket, `data/${FIRST}`);
  await bucket.write(`data/${SECOND}`, second.fill(7, second.length - 20));
  await bucket.write(`data/copy/${THIRD}`, third);
  await bucket.remove(`data/${THIRD}`);
  const parquet = NAMES.map((name) => `verified ${name.replace('csv.gz', 'parquet')}`);

  const asked = shim.calls.length;
  const listed = await verify('--listed');
  const bad = [`corrupt ${FIRST}`, `corrupt ${SECOND}`, `missing ${THIRD}`];
  assert.deepEqual(
    [listed.exitCode, listed.reported],
    [6, [...bad, `verified ${FOURTH}`, ...parquet].sort()],
  );
  const data = shim.calls.slice(asked).filter(({ key }) => !key.includes('/.tickhaul/'));
  const operations = new Set(data.map(({ operation }) => operation));
  assert.deepEqual([...operations].sort(), ['ListObjectsV2']);

  const read = await verify('--adopt');
  const good = [`verified ${FIRST}`, `verified ${FOURTH}`, `verified copy/${THIRD}`, ...parquet];
  assert.deepEqual([read.exitCode, read.reported], [6, [...bad.slice(1), ...good].sort()], read.stderr);
  await succeeded(verify('--quick', '--repair'));
  const whole = await verify('--listed');
  assert.deepEqual([whole.exitCode, whole.reported.length], [0, 9], whole.stderr);

  const part = await run('verify', `${at('data')}/copy`, '--dir', at('data'), '--json');
  assert.equal(jsonLines(part).at(-1)?.['verified'], 1, part.stderr);
  const { exitCode, stderr } = await run('verify', at('nowhere'));
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /nowhere: no objects found; set --dir to a download's bucket and prefix/);
});

storeTest(
  'lists and reports of a bucket equal those of a folder; each can use the records of the other',
  async (t) => {
    const { bucket, dir, at, run } = await place(t);
    const folder = join(dir, 'data');
    await mkdir(folder);
    for (const where of [at('data'), folder]) await succeeded(run(...DOWNLOAD, '--dir', where));
    const ofBoth = async (...words: readonly string[]): Promise<readonly string[]> => {
      const finished = [await run(...words, '--dir', at('data')), await run(...words, '--dir', folder)];
      for (const { exitCode, stderr } of finished) assert.equal(exitCode, 0, stderr);
      return finished.map(({ stdout }) => stdout);
    };
    const [ofStore, ofFolder] = await ofBoth('coverage', '--json');
    assert.equal(ofStore, ofFolder);
    const [lockOfStore = '', lockOfFolder] = await ofBoth('lock', '-o', '-');
    assert.equal(lockOfStore, lockOfFolder);

    await writeFile(join(dir, 'tickhaul.lock'), lockOfStore);
    await bucket.write('data/mine_trades_2024-03-01_X.csv.gz', 'x');
    const frozen = await run('download', '--frozen', 'tickhaul.lock', '--dir', at('data'), '--json');
    assert.equal(frozen.exitCode, 6, frozen.stderr);
    assert.match(frozen.stdout, /"kind":"extra","path":"mine_trades/);

    for (const name of NAMES) await bucket.write(`copy/${name}`, await readFile(join(folder, name)));
    const merged = await run('manifest', 'merge', folder, '--dir', at('copy'), '--json');
    assert.deepEqual(JSON.parse(merged.stdout), {
      path: at('copy'),
      records: 4,
      added: 4,
      changed: 0,
      audits: 0,
      exports: 0,
    });
    // Each object was uploaded in one part, so its ETag is recorded.
    const listed = await run('verify', '--listed', '--dir', at('copy'));
    assert.deepEqual([listed.exitCode, listed.stderr.includes('without an ETag')], [0, false], listed.stderr);
  },
);

storeTest('a sync stores its state in the bucket', async (t) => {
  const { bucket, dir, at, run } = await place(t);
  const job =
    'name: one, exchange: binance-futures, types: [trades], symbols: [BTCUSDT], from: 2024-03-01, to: 2024-03-02';
  await writeFile(join(dir, 'tickhaul.yaml'), `dir: ${at('data')}\njobs:\n  - { ${job} }\n`);
  for (const counts of ['downloaded', 'skipped']) {
    const finished = await succeeded(run('sync', '--json'));
    assert.equal(jsonLines(finished).at(-1)?.[counts], 1);
  }
  assert.match(String(await bucket.read('data/.tickhaul/sync.json')), /"one"/);
});
