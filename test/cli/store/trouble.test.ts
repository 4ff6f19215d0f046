import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PutBucketPolicyCommand } from '@aws-sdk/client-s3';
import { jsonLines, tickhaul } from '../../helpers/cli.js';
import { storeTest } from '../../helpers/services.js';
import { assertNoSecret, DOWNLOAD, type StoreRig, storeRig } from './rig.js';

interface Trouble {
  readonly what: string;
  readonly exitCode: number;
  /** Part of the only line on stderr. */
  readonly says: RegExp;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly begin?: (rig: StoreRig) => Promise<unknown> | undefined;
}

const FOREVER = 10_000;
const SHORT = ['--stall-timeout', '300ms'];

/** Problems of the store that are detected before the download. */
const AT_START: readonly Trouble[] = [
  {
    what: 'no such bucket',
    exitCode: 2,
    says: /s3:\/\/nobody-has-this.*no such bucket/,
    flags: ['--dir', 's3://nobody-has-this/a'],
  },
  {
    what: 'an endpoint without a scheme',
    exitCode: 2,
    says: /https?:\/\//,
    flags: ['--s3-endpoint', 'localhost:9000'],
  },
  { what: 'another scheme', exitCode: 2, says: /gs:\/\//, flags: ['--dir', 'gs://bucket/a'] },
  {
    what: 'no credentials',
    exitCode: 4,
    says: /credentials/,
    env: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
  },
  { what: 'a wrong secret', exitCode: 4, says: /AWS_ACCESS_KEY_ID/, env: { AWS_SECRET_ACCESS_KEY: 'wrong' } },
  {
    what: 'nobody there',
    exitCode: 5,
    says: /127\.0\.0\.1:9/,
    flags: ['--s3-endpoint', 'http://127.0.0.1:9'],
  },
  {
    what: 'a silent store',
    exitCode: 5,
    says: /no response within 0\.3s/,
    flags: SHORT,
    begin: ({ shim }) => void shim.harm('ListObjectsV2', 'silence', FOREVER),
  },
  {
    what: 'no permission to list',
    exitCode: 4,
    says: /AccessDenied/,
    begin: (rig) => deny(rig, 's3:ListBucket'),
  },
];

/** Problems that occur during the download. */
const ON_THE_WAY: readonly Trouble[] = [
  {
    what: 'no permission to write',
    exitCode: 8,
    says: /AccessDenied/,
    begin: (rig) => deny(rig, 's3:PutObject'),
  },
  {
    what: 'a full store',
    exitCode: 8,
    says: /full/,
    begin: ({ shim }) => void shim.harm('PutObject', { status: 507, code: 'InsufficientStorage' }, FOREVER),
  },
  {
    what: 'no permission to complete an upload, in an answer with status 200',
    exitCode: 8,
    says: /have no write permission.*\(AccessDenied/,
    begin: ({ shim }) =>
      void shim.harm('CompleteMultipartUpload', { status: 200, code: 'AccessDenied' }, FOREVER),
  },
  {
    what: 'a store that falls silent',
    exitCode: 5,
    says: /no response within 0\.3s/,
    flags: SHORT,
    begin: ({ shim }) => void shim.harm('UploadPart', 'silence', FOREVER),
  },
];

/** Revokes a permission from every user, including the bucket's owner. */
function deny({ bucket: { name: Bucket, client } }: StoreRig, Action: string): Promise<unknown> {
  const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
  const statement = { Effect: 'Deny', Principal: '*', Action, Resource };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  return client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
}

for (const [troubles, isAtStart] of [
  [AT_START, true],
  [ON_THE_WAY, false],
] as const) {
  for (const { what, exitCode, says, flags = [], env = {}, begin } of troubles) {
    storeTest(`${what} is code ${exitCode}, in one line`, async (t) => {
      const rig = await storeRig(t);
      await begin?.(rig);
      const words = [...DOWNLOAD, '--dir', rig.at('data'), '--json', '--verbose', ...flags];
      const ended = await tickhaul(words, { env: { ...rig.env, AWS_EC2_METADATA_DISABLED: 'true', ...env } });
      assert.equal(ended.exitCode, exitCode, ended.stderr);
      assertNoSecret(ended, rig);
      assert.match(ended.stderr, says);
      assert.equal(ended.stderr.match(/^tickhaul: /gm)?.length, 1, ended.stderr);
      assert.doesNotMatch(ended.stderr, /\n {4}at |Warning/, ended.stderr);
      assert.deepEqual([jsonLines(ended).at(-1)?.['exitCode']], [exitCode]);
      if (isAtStart) assert.deepEqual(rig.service.requests, [], 'it is said before the service is asked');
    });
  }
}

test('an error while searching a manifest above a path or at an object is reported, soon if the store is unreachable', async () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'us-east-1' };
  const nobody = ['--s3-endpoint', 'http://127.0.0.1:9', '--s3-path-style', '--verbose'];
  await Promise.all(
    ['verify', 'coverage', 'inspect'].map(async (command) => {
      const { exitCode, stderr } = await tickhaul([command, 's3://bucket/data/x.csv.gz', ...nobody], { env });
      assert.equal(exitCode, 5, stderr);
      assert.equal(stderr.match(/^(GET|HEAD) 127\.0\.0\.1:9\//gm)?.length, 3, stderr);
    }),
  );
});
