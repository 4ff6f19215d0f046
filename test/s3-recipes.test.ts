import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  type PutBucketLifecycleConfigurationCommandInput,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { DAY_FILES, DOWNLOAD, NAMES, rowsOf, type StoreRig, storeRig } from './cli/store/rig.js';
import { duckFor } from './format/parquet/readers.js';
import { succeeded, tickhaul } from './helpers/cli.js';
import { fenced, projectText, recipe } from './helpers/machine.js';
import { noPython } from './helpers/python.js';
import { bucketFor } from './helpers/s3/bucket.js';
import { admin } from './helpers/s3/gateway.js';
import { type ContextWith, storeTest } from './helpers/services.js';
import { tempDir } from './helpers/temp.js';

interface Policy {
  readonly Version: string;
  readonly Statement: readonly Readonly<Record<string, unknown>>[];
}

storeTest('the permissions that docs/how-to/s3.md asks for are enough', async (t) => {
  const rig = await storeRig(t);
  const { name: Bucket, client, gateway } = rig.bucket;
  const guest = { AWS_ACCESS_KEY_ID: 'GUESTKEY', AWS_SECRET_ACCESS_KEY: 'guest-secret' };
  const keys = ['--access-key', guest.AWS_ACCESS_KEY_ID, '--secret-key', guest.AWS_SECRET_ACCESS_KEY];
  await admin(gateway, 'user', 'create', '--uid', 'guest', '--display-name', 'guest', ...keys);
  const words = [...DOWNLOAD, '--dir', rig.at('data')];
  const env = { ...rig.env, ...guest };
  assert.equal((await tickhaul(words, { env })).exitCode, 4, 'none as yet');

  const { Version, Statement } = JSON.parse(
    (await recipe('s3-policy.json')).replaceAll('market-data', Bucket),
  ) as Policy;
  const Principal = { AWS: ['arn:aws:iam:::user/guest'] };
  const Policy = JSON.stringify({ Version, Statement: Statement.map((one) => ({ ...one, Principal })) });
  await client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
  for (const run of [
    [...words, '--convert', 'parquet'],
    ['verify', '--repair', '--dir', rig.at('data')],
    ['coverage', '--dir', rig.at('data')],
  ]) {
    await succeeded(tickhaul(run, { env }));
  }
  assert.equal((await rig.files('data')).length, 2 * NAMES.length);
});

storeTest('the lifecycle rule of docs/how-to/s3.md is one that a store takes', async (t) => {
  const { name: Bucket, client } = await bucketFor(t);
  const LifecycleConfiguration = JSON.parse(
    await recipe('s3-lifecycle.json'),
  ) as PutBucketLifecycleConfigurationCommandInput['LifecycleConfiguration'];
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }));
  const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
  assert.deepEqual(
    Rules.map(({ AbortIncompleteMultipartUpload: rule }) => rule?.DaysAfterInitiation),
    [2],
  );
});

/** A bucket in which one day of trades stands as CSV and as Parquet, and has two records. */
async function convertedDay(t: ContextWith<'store'>): Promise<StoreRig> {
  const rig = await storeRig(t);
  for (const more of [[], ['--convert', 'parquet']]) {
    const words = ['--layout', 'hive', '--dir', rig.at('tardis'), ...more];
    await succeeded(rig.run(...DOWNLOAD, ...words));
  }
  return rig;
}

storeTest('the queries of docs/how-to/s3.md count each file once', async (t) => {
  const { bucket } = await convertedDay(t);
  // DuckDB has no way to a store here.
  const dir = await tempDir(t);
  for (const key of await bucket.keys('tardis/')) {
    await mkdir(join(dir, dirname(key)), { recursive: true });
    await writeFile(join(dir, key), await bucket.read(key));
  }
  const duck = await duckFor(t);
  const [code = ''] = fenced(await projectText('docs/how-to/s3.md'), 'sql');
  const queries = code
    .replaceAll(/^--.*$/gm, '')
    .replaceAll('s3://market-data', dir)
    .split(';')
    .filter((query) => query.includes('SELECT'));
  const [turnover, recorded] = await Promise.all(queries.map((query) => duck.query(query)));
  const name = NAMES.find((day) => day.includes('_trades_')) ?? '';
  const trades = rowsOf(name);
  assert.deepEqual(
    turnover?.map((row) => row.map(String)),
    [['BTCUSDT', String(trades), String(trades * 61000.5 * 0.25)]],
  );
  const path = `exchange=binance-futures/data_type=trades/dataset_symbol=BTCUSDT/date=2024-03-01/${name}`;
  const facts = [path, DAY_FILES[name]?.length, trades, false];
  assert.deepEqual(
    recorded?.map((row) => row.map(String)),
    [facts.map(String)],
  );
});

storeTest(
  'Polars and pyarrow read a bucket as docs/how-to/s3.md shows it',
  {
    skip: noPython('polars', 'pyarrow'),
  },
  async (t) => {
    const { bucket } = await convertedDay(t);
    const { endpoint } = bucket.gateway;
    const code = fenced(await projectText('docs/how-to/s3.md'), 'python')
      .join('')
      .replaceAll('market-data', bucket.name)
      .replace('"aws_region": "eu-central-1"', `"aws_endpoint_url": "${endpoint}"`)
      .replace('region="eu-central-1"', `endpoint_override="${endpoint}"`);
    const words = { command: ['python3', '-c', code], env: bucket.env() };
    const { stdout } = await succeeded(tickhaul([], words));
    assert.match(stdout, /BTCUSDT +┆ 70 +┆/);
    assert.match(stdout, /^70$/m);
  },
);

test('docs/how-to/s3.md shows the policy as it stands in its file, and names the rule', async () => {
  const page = await projectText('docs/how-to/s3.md');
  assert.ok(page.includes(`\`\`\`json\n${await recipe('s3-policy.json')}\`\`\``));
  assert.ok(page.includes('(../recipes/s3-lifecycle.json)'));
});
