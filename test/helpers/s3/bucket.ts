import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { cleanUp } from '../clean-up.js';
import type { ContextWith } from '../services.js';
import { type Gateway, type OwnGateway, SHARED_GATEWAY, startGateway } from './gateway.js';

/** A bucket of a real store, accessed without the code under test. */
export interface TestBucket {
  readonly name: string;
  readonly gateway: Gateway;
  readonly client: S3Client;
  /** Environment variables with which the command reaches the store, directly or through a shim. */
  env(endpoint?: string): Record<string, string>;
  /** Sets the same variables in this process, for commands that run in it. */
  envHere(endpoint?: string): Record<string, string>;
  keys(prefix?: string): Promise<readonly string[]>;
  /** Keys of unfinished uploads. */
  uploads(): Promise<readonly string[]>;
  read(key: string): Promise<Buffer>;
  write(key: string, body: Uint8Array | string): Promise<void>;
  remove(key: string): Promise<void>;
}

// Warning of the client below; the commands disable it themselves.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

let starting: Promise<OwnGateway> | undefined;
after(async () => (await starting)?.stop());

/** The gateway shared by all test files, or one for this file if it runs alone. */
async function gateway(): Promise<Gateway> {
  const shared = process.env[SHARED_GATEWAY];
  if (shared !== undefined) return JSON.parse(shared) as Gateway;
  starting ??= startGateway();
  return starting;
}

/** A new bucket with a unique name, removed with the gateway. */
export async function bucketFor(t: ContextWith<'store'>): Promise<TestBucket> {
  const store = await gateway();
  const { accessKeyId, secretAccessKey } = store;
  const client = new S3Client({
    endpoint: store.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  cleanUp(t, () => client.destroy());
  const Bucket = `test-${randomBytes(6).toString('hex')}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  const env = (endpoint = store.endpoint): Record<string, string> => ({
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  return {
    name: Bucket,
    gateway: store,
    client,
    env,
    envHere(endpoint) {
      const stores = env(endpoint);
      Object.assign(process.env, stores);
      return stores;
    },
    async keys(Prefix) {
      const keys: string[] = [];
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
        keys.push(...Contents.map(({ Key = '' }) => Key));
      return keys;
    },
    async uploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.map(({ Key = '' }) => Key);
    },
    async read(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
    async write(Key, Body) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body }));
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },
  };
}
