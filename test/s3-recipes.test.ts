import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  type PutBucketLifecycleConfigurationCommandInput,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { DOWNLOAD, NAMES, storeRig } from './cli/store/rig.js';
import { tickhaul } from './helpers/cli.js';
import { projectText, recipe } from './helpers/machine.js';
import { bucketFor } from './helpers/s3/bucket.js';
import { NO_STORE } from './helpers/s3/gateway.js';

interface Policy {
  readonly Version: string;
  readonly Statement: readonly Readonly<Record<string, unknown>>[];
}

test('the permissions that docs/s3.md asks for are enough', { skip: NO_STORE }, async (t) => {
  const rig = await storeRig(t);
  const { name: Bucket, client, gateway } = rig.bucket;
  const guest = { AWS_ACCESS_KEY_ID: 'GUESTKEY', AWS_SECRET_ACCESS_KEY: 'guest-secret' };
  const keys = ['--access-key', guest.AWS_ACCESS_KEY_ID, '--secret-key', guest.AWS_SECRET_ACCESS_KEY];
  await gateway.admin('user', 'create', '--uid', 'guest', '--display-name', 'guest', ...keys);
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
    const { exitCode, stderr } = await tickhaul(run, { env });
    assert.equal(exitCode, 0, stderr);
  }
  assert.equal((await rig.files('data')).length, 2 * NAMES.length);
});

test('the lifecycle rule of docs/s3.md is one that a store takes', { skip: NO_STORE }, async (t) => {
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

test('docs/s3.md shows the policy as it stands in its file, and names the rule', async () => {
  const page = await projectText('docs/s3.md');
  assert.ok(page.includes(`\`\`\`json\n${await recipe('s3-policy.json')}\`\`\``));
  assert.ok(page.includes('recipes/s3-lifecycle.json'));
});
