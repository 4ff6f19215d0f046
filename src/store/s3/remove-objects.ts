import type { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { TickhaulError } from '../../base/errors.js';
import { md5Digest } from './etag.js';
import type { S3Connection, Sdk } from './s3-connection.js';

/** Limit of S3 for one request. */
const MAX_KEYS_PER_REQUEST = 1000;
/** Concurrent requests for objects that are removed one by one. */
const CONCURRENT_REMOVALS = 16;

/**
 * Removes objects, many per request. Missing ones are ignored.
 * @throws TickhaulError for the first failure.
 */
export async function removeObjects(
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
