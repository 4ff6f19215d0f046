import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { collectBytes } from '../../base/collect-bytes.js';
import { TickhaulError } from '../../base/errors.js';
import { md5Digest, normalizeEtag } from './etag.js';
import { MultipartObjectUpload } from './multipart-upload.js';
import type { ObjectStore, StoredObject, UnfinishedUpload } from './object-store.js';
import type { PartBufferPool } from './part-buffer-pool.js';
import { readObject } from './read-object.js';
import { removeObjects } from './remove-objects.js';
import type { S3Connection } from './s3-connection.js';
import { createNotAStoreError } from './s3-errors.js';

export interface BucketOptions {
  /** Reached when something is asked for first. */
  readonly connect: () => Promise<S3Connection>;
  readonly partBuffers: PartBufferPool;
  readonly close: () => void;
}

/** One bucket, over a connection that others may share. */
export function openBucket(Bucket: string, { connect, partBuffers, close }: BucketOptions): ObjectStore {
  const name = `s3://${Bucket}`;
  const nameOf = (key: string): string => `${name}/${key}`;

  const store: ObjectStore = {
    name,

    async check(Prefix, signal) {
      const { sdk, send } = await connect();
      const {
        KeyCount,
        Name,
        Contents = [],
      } = await send({ name, signal, isFirst: true }, (client, options) =>
        client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }), options),
      );
      // Any XML is a listing to the SDK, and so are most pages.
      if (KeyCount === undefined && Name === undefined) throw createNotAStoreError(name);
      return Contents.length > 0;
    },

    async put(Key, Body, signal) {
      const { sdk, send } = await connect();
      const md5 = md5Digest(Body);
      const ContentMD5 = md5.toString('base64');
      const { ETag } = await send({ name: nameOf(Key), signal, writes: true }, (client, options) =>
        client.send(new sdk.PutObjectCommand({ Bucket, Key, Body, ContentMD5 }), options),
      );
      return { etag: normalizeEtag(ETag) ?? md5.toString('hex') };
    },

    async head(Key, signal) {
      const { sdk, send } = await connect();
      const answer = await undefinedIfMissing(
        send({ name: nameOf(Key), signal }, (client, options) =>
          client.send(new sdk.HeadObjectCommand({ Bucket, Key }), options),
        ),
      );
      return (
        answer && {
          key: Key,
          bytes: answer.ContentLength ?? 0,
          etag: normalizeEtag(answer.ETag) ?? '',
          modified: answer.LastModified?.getTime() ?? 0,
        }
      );
    },

    async *get(Key, range = {}, signal) {
      const connection = await connect();
      yield* readObject({ connection, target: { Bucket, Key }, name: nameOf(Key), signal }, range);
    },

    getWhole: (key, signal) => undefinedIfMissing(collectBytes(store.get(key, {}, signal))),

    async *list(Prefix, signal) {
      const { sdk, send } = await connect();
      for (let ContinuationToken: string | undefined, isLast = false; !isLast; ) {
        const asked = { Bucket, Prefix, EncodingType: 'url' as const, ContinuationToken };
        const page: ListObjectsV2CommandOutput = await send(
          { name: nameOf(Prefix), signal },
          (client, options) => client.send(new sdk.ListObjectsV2Command(asked), options),
        );
        const decoded = createKeyDecoder(page.EncodingType);
        const objects = (page.Contents ?? []).map(
          ({ Key = '', Size = 0, ETag, LastModified }): StoredObject => ({
            key: decoded(Key),
            bytes: Size,
            etag: normalizeEtag(ETag) ?? '',
            modified: LastModified?.getTime() ?? 0,
          }),
        );
        if (objects.length > 0) yield objects;
        const next = page.NextContinuationToken;
        isLast = page.IsTruncated !== true;
        if (!isLast && (next === undefined || next === ContinuationToken))
          throw createEndlessListingError(name);
        ContinuationToken = next;
      }
    },

    async remove(keys, signal) {
      await removeObjects(await connect(), { bucket: Bucket, name }, keys, signal);
    },

    upload(Key, bytes, signal) {
      const target = { Bucket, Key };
      return new MultipartObjectUpload({
        connect,
        store,
        target,
        name: nameOf(Key),
        partBuffers,
        bytes,
        signal,
      });
    },

    async *unfinished(Prefix, signal) {
      const { sdk, send } = await connect();
      let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
      for (let isLast = false; !isLast; ) {
        // Not in the form of URLs: some stores take it, and don't say so.
        const asked = { Bucket, Prefix, ...marker };
        const page = await send({ name: nameOf(Prefix), signal }, (client, options) =>
          client.send(new sdk.ListMultipartUploadsCommand(asked), options),
        );
        const decoded = createKeyDecoder(page.EncodingType);
        const uploads = (page.Uploads ?? []).map(
          ({ Key = '', UploadId = '', Initiated }): UnfinishedUpload => ({
            key: decoded(Key),
            id: UploadId,
            startedMs: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
          }),
        );
        if (uploads.length > 0) yield uploads;
        const { NextKeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        const KeyMarker = NextKeyMarker === undefined ? undefined : decoded(NextKeyMarker);
        isLast = page.IsTruncated !== true;
        const isStuck = KeyMarker === marker.KeyMarker && UploadIdMarker === marker.UploadIdMarker;
        if (!isLast && isStuck) throw createEndlessListingError(name);
        marker = { ...(KeyMarker && { KeyMarker }), ...(UploadIdMarker && { UploadIdMarker }) };
      }
    },

    async abandon({ key, id }, signal) {
      const { sdk, send } = await connect();
      const upload = { Bucket, Key: key, UploadId: id };
      await send({ name: nameOf(key), signal }, (client, options) =>
        client.send(new sdk.AbortMultipartUploadCommand(upload), options).catch((error: unknown) => {
          // Another run was faster.
          if (!(error instanceof sdk.NoSuchUpload)) throw error;
        }),
      );
    },

    close,
  };
  return store;
}

/** Keys as they are: XML can't hold all characters, so listings are asked for in the form of URLs. */
function createKeyDecoder(encoding: string | undefined): (text: string) => string {
  return encoding === 'url' ? (text) => decodeURIComponent(text.replaceAll('+', ' ')) : (text) => text;
}

function createEndlessListingError(name: string): TickhaulError {
  return new TickhaulError('bad_answer', `${name}: the store's listing has no end`);
}

async function undefinedIfMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'missing') return undefined;
    throw error;
  }
}
