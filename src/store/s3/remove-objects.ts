import { TickhaulError } from '../../base/errors.js';
import type { Connection } from './connection.js';
import { md5Of } from './etag.js';

/** Of S3: what one request may name. */
const MOST_KEYS = 1000;
/** Requests, where each object needs one of its own. */
const AT_ONCE = 16;

/** Removes objects, where they are there: many with a request. @throws TickhaulError for the first that can't be removed. */
export async function removeObjects(
  { sdk, ask }: Connection,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const removeOne = async (Key: string): Promise<void> => {
    await ask({ name: `${name}/${Key}`, signal, writes: true }, (client, options) =>
      client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key }), options),
    );
  };
  for (let at = 0; at < keys.length; at += MOST_KEYS) {
    const page = keys.slice(at, at + MOST_KEYS);
    const left =
      page.length === 1 ? page : await removeTogether({ sdk, ask }, { bucket, name }, page, signal);
    // Asked for alone, each is tried again, and fails with an error that says why.
    for (let next = 0; next < left.length; next += AT_ONCE)
      await Promise.all(left.slice(next, next + AT_ONCE).map(removeOne));
  }
}

/** @returns those that it could not remove: all of them where the store knows no such request, or not these keys. */
async function removeTogether(
  { sdk, ask }: Pick<Connection, 'sdk' | 'ask'>,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
  try {
    return await ask({ name, signal, writes: true }, async (client, options) => {
      const command = new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete });
      // The SDK has a CRC in its place, which older stores don't take.
      command.middlewareStack.add(
        (next) => (args) => {
          const request = args.request as { body: string; headers: Record<string, string> };
          for (const header of Object.keys(request.headers))
            if (/checksum/i.test(header)) delete request.headers[header];
          request.headers['content-md5'] = md5Of(Buffer.from(request.body)).toString('base64');
          return next(args);
        },
        { step: 'build', priority: 'low', name: 'withMd5' },
      );
      const { Errors = [] } = await client.send(command, options);
      return Errors.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
    });
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'rejected') return keys;
    throw error;
  }
}
