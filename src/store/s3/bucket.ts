import { Readable } from 'node:stream';
import type { DeleteObjectsCommand, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { judgeError, TickhaulError } from '../../base/errors.js';
import { collectBytes } from '../../base/memory.js';
import { type StoreSettings, undefinedIfMissing } from '../files.js';
import { MultipartObjectUpload, PartBufferPool } from './multipart-upload.js';
import {
  type ByteRange,
  md5Digest,
  normalizeEtag,
  type ObjectStore,
  type StoredObject,
  type UnfinishedUpload,
} from './object-store.js';
import { openS3Connection, type S3Connection, type Sdk, type SendOnce } from './s3-connection.js';
import { createNotAStoreError, createStoreGaveUpError } from './s3-errors.js';

/** Buckets of one store, which share connections. */
export interface BucketConnections {
  bucket(name: string): ObjectStore;
  close(): void;
}

/** Loads the SDK and connects only when a bucket is used. */
export function openBucketConnections(settings: StoreSettings): BucketConnections {
  const connection = openS3Connection(settings);
  const partBuffers = new PartBufferPool();
  const buckets = new Map<string, ObjectStore>();
  return {
    bucket(name) {
      const bucket = buckets.get(name) ?? openBucket(name, connection, partBuffers);
      buckets.set(name, bucket);
      return bucket;
    },
    close: () => connection.close(),
  };
}

/** Opens one bucket, over a connection that other buckets may share. */
function openBucket(Bucket: string, connection: S3Connection, partBuffers: PartBufferPool): ObjectStore {
  const name = `s3://${Bucket}`;
  const objectName = (key: string): string => `${name}/${key}`;

  const store: ObjectStore = {
    name,

    async check(Prefix, signal) {
      const page = await connection.send(
        name,
        (sdk) => new sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 }),
        { signal, isFirst: true },
      );
      const { KeyCount, Name, Contents = [] } = page;
      // The SDK parses any XML as a listing, including most HTML pages.
      if (KeyCount === undefined && Name === undefined) throw createNotAStoreError(name);
      return Contents.length > 0;
    },

    async put(Key, Body, signal) {
      const md5 = md5Digest(Body);
      const ContentMD5 = md5.toString('base64');
      const { ETag } = await connection.send(
        objectName(Key),
        (sdk) => new sdk.PutObjectCommand({ Bucket, Key, Body, ContentMD5 }),
        { signal, writes: true },
      );
      return { etag: normalizeEtag(ETag) ?? md5.toString('hex') };
    },

    async head(Key, signal) {
      const response = await undefinedIfMissing(
        connection.send(objectName(Key), (sdk) => new sdk.HeadObjectCommand({ Bucket, Key }), { signal }),
      );
      return (
        response && {
          key: Key,
          bytes: response.ContentLength ?? 0,
          etag: normalizeEtag(response.ETag) ?? '',
          modified: response.LastModified?.getTime() ?? 0,
        }
      );
    },

    get: (Key, range = {}, signal) =>
      readObject({ connection, target: { Bucket, Key }, name: objectName(Key), signal }, range),

    getWhole: (key, signal) => undefinedIfMissing(collectBytes(store.get(key, {}, signal))),

    async *list(Prefix, signal) {
      for (let ContinuationToken: string | undefined, isLast = false; !isLast; ) {
        const input = { Bucket, Prefix, EncodingType: 'url' as const, ContinuationToken };
        const page: ListObjectsV2CommandOutput = await connection.send(
          objectName(Prefix),
          (sdk) => new sdk.ListObjectsV2Command(input),
          { signal },
        );
        const decodeKey = createKeyDecoder(page.EncodingType);
        const objects = (page.Contents ?? []).map(
          ({ Key = '', Size = 0, ETag, LastModified }): StoredObject => ({
            key: decodeKey(Key),
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

    remove: (keys, signal) => removeObjects(connection, { bucket: Bucket, name }, keys, signal),

    upload(Key, bytes, signal) {
      const target = { Bucket, Key };
      return new MultipartObjectUpload({
        connection,
        store,
        target,
        name: objectName(Key),
        partBuffers,
        bytes,
        signal,
      });
    },

    async *listUploads(Prefix, signal) {
      let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
      for (let isLast = false; !isLast; ) {
        // Without EncodingType: some stores URL-encode keys then, without saying so in the response.
        const input = { Bucket, Prefix, ...marker };
        const page = await connection.send(
          objectName(Prefix),
          (sdk) => new sdk.ListMultipartUploadsCommand(input),
          { signal },
        );
        const decodeKey = createKeyDecoder(page.EncodingType);
        const uploads = (page.Uploads ?? []).map(
          ({ Key = '', UploadId = '', Initiated }): UnfinishedUpload => ({
            key: decodeKey(Key),
            id: UploadId,
            startedMs: Initiated?.getTime() ?? Number.POSITIVE_INFINITY,
          }),
        );
        if (uploads.length > 0) yield uploads;
        const { NextKeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        const KeyMarker = NextKeyMarker === undefined ? undefined : decodeKey(NextKeyMarker);
        isLast = page.IsTruncated !== true;
        const isStuck = KeyMarker === marker.KeyMarker && UploadIdMarker === marker.UploadIdMarker;
        if (!isLast && isStuck) throw createEndlessListingError(name);
        marker = { ...(KeyMarker && { KeyMarker }), ...(UploadIdMarker && { UploadIdMarker }) };
      }
    },

    async abortUpload({ key, id }, signal) {
      const upload = { Bucket, Key: key, UploadId: id };
      const abort = async (send: SendOnce, sdk: Sdk): Promise<void> => {
        await send(new sdk.AbortMultipartUploadCommand(upload)).catch((error: unknown) => {
          // Another run has already aborted it.
          if (!(error instanceof sdk.NoSuchUpload)) throw error;
        });
      };
      await connection.attempt(objectName(key), abort, { signal });
    },
  };
  return store;
}

/** XML cannot represent all characters, so listings are requested with URL-encoded keys. */
function createKeyDecoder(encoding: string | undefined): (text: string) => string {
  return encoding === 'url' ? (text) => decodeURIComponent(text.replaceAll('+', ' ')) : (text) => text;
}

function createEndlessListingError(name: string): TickhaulError {
  return new TickhaulError('bad_answer', `${name}: the store's listing does not end; check --s3-endpoint`);
}

/** Limit of S3 for one request. */
const MAX_KEYS_PER_REQUEST = 1000;
/** Concurrent requests for objects that are removed one by one. */
const CONCURRENT_REMOVALS = 16;

/**
 * Removes objects, many per request. Missing ones are ignored.
 * @throws TickhaulError for the first failure.
 */
async function removeObjects(
  connection: S3Connection,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const removeOne = async (Key: string): Promise<void> => {
    const command = (sdk: Sdk) => new sdk.DeleteObjectCommand({ Bucket: bucket, Key });
    await connection.send(`${name}/${Key}`, command, { signal, writes: true });
  };
  for (let at = 0; at < keys.length; at += MAX_KEYS_PER_REQUEST) {
    const page = keys.slice(at, at + MAX_KEYS_PER_REQUEST);
    const failed = page.length === 1 ? page : await removeBatch(connection, { bucket, name }, page, signal);
    // Single requests are retried, and fail with a specific error.
    for (let next = 0; next < failed.length; next += CONCURRENT_REMOVALS)
      await Promise.all(failed.slice(next, next + CONCURRENT_REMOVALS).map(removeOne));
  }
}

/** @returns keys that could not be removed; all of them if the store rejects the request. */
async function removeBatch(
  connection: S3Connection,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  const createCommand = (sdk: Sdk): DeleteObjectsCommand => {
    const command = new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete });
    // Send an MD5 instead of the SDK's CRC, which older stores do not accept.
    command.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { body: string; headers: Record<string, string> };
        for (const header of Object.keys(request.headers))
          if (/checksum/i.test(header)) delete request.headers[header];
        request.headers['content-md5'] = md5Digest(Buffer.from(request.body)).toString('base64');
        return next(args);
      },
      { step: 'build', priority: 'low', name: 'withMd5' },
    );
    return command;
  };
  try {
    const { Errors = [] } = await connection.send(name, createCommand, { signal, writes: true });
    return Errors.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'rejected') return keys;
    throw error;
  }
}

export interface ObjectReadContext {
  readonly connection: S3Connection;
  readonly target: { readonly Bucket: string; readonly Key: string };
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/** Consecutive disconnects without a byte after which reading fails. */
const MAX_DISCONNECTS = 5;

/**
 * Reads an object, with another request after each disconnect. Compares ETags itself and uses no conditional
 * requests.
 */
export async function* readObject(
  { connection, target, name, signal }: ObjectReadContext,
  { start = 0, end, etag: expected }: ByteRange,
): AsyncGenerator<Buffer, void> {
  let position = start;
  let endPosition = end;
  let etag = expected;
  for (let disconnects = 0; endPosition === undefined || position < endPosition; ) {
    const response = await openRange({ connection, target, name, signal }, position, endPosition);
    // The object ends before the range.
    if (!response && position === start) return;
    // Without a response, the object is shorter now than what was read of it.
    if (!response || (etag !== undefined && response.etag !== etag)) {
      response?.body.destroy();
      throw new TickhaulError(
        'changed',
        `${name}: the object was replaced while it was read; run the same command again`,
      );
    }
    etag = response.etag;
    endPosition = Math.min(endPosition ?? Number.POSITIVE_INFINITY, response.total);
    try {
      for await (const chunk of response.body) {
        disconnects = 0;
        position += chunk.length;
        yield chunk;
      }
      if (position >= endPosition) return;
    } catch (error) {
      if (!(error instanceof TickhaulError) || !judgeError(error).canRepeatRequest) throw error;
      if (++disconnects > MAX_DISCONNECTS) throw createStoreGaveUpError(error, name, disconnects);
      continue;
    } finally {
      response.body.destroy();
    }
    if (++disconnects > MAX_DISCONNECTS) {
      throw new TickhaulError(
        'store_down',
        `${name}: received only ${position} of ${endPosition} bytes, repeatedly; run the same command again later`,
      );
    }
  }
}

interface RangeResponse {
  readonly etag: string | undefined;
  /** Size of the whole object. */
  readonly total: number;
  readonly body: Readable;
}

/** @param end exclusive. @returns undefined if the object ends before `start`. */
async function openRange(
  { connection, target, name, signal }: ObjectReadContext,
  start: number,
  end: number | undefined,
): Promise<RangeResponse | undefined> {
  const isWhole = start === 0 && end === undefined;
  const Range = `bytes=${start}-${end === undefined ? '' : end - 1}`;
  const open = async (send: SendOnce, sdk: Sdk): Promise<RangeResponse | undefined> => {
    const command = new sdk.GetObjectCommand({ ...target, ...(!isWhole && { Range }) });
    const response = await send(command).catch((error: unknown) => {
      if (isPastTheEnd(error)) return undefined;
      throw error;
    });
    if (!response) return undefined;
    const { Body, ETag, ContentRange, ContentLength } = response;
    if (!(Body instanceof Readable)) throw new TypeError('the body of an object is not a stream');
    const [, from = '0', total = ContentLength] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? [];
    if (Number(from) !== start || total === undefined) {
      Body.destroy();
      throw new TickhaulError('bad_answer', `${name}: the store sent another range than requested`);
    }
    return { etag: normalizeEtag(ETag), total: Number(total), body: Body };
  };
  return connection.attempt(name, open, { signal });
}

function isPastTheEnd(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidRange';
}
