import type { Connection } from './connection.js';
import { md5Of } from './etag.js';

/** Of S3: what one request may name. */
const MOST_KEYS = 1000;

/** Removes objects, where they are there: many with a request. @throws TickhaulError for the first that can't be removed. */
export async function removeObjects(
  { sdk, ask }: Connection,
  { bucket, name }: { readonly bucket: string; readonly name: string },
  keys: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const removeOne = async (Key: string): Promise<void> => {
    await ask({ name: `${name}/${Key}`, signal }, (client, options) =>
      client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key }), options),
    );
  };
  for (let at = 0; at < keys.length; at += MOST_KEYS) {
    const page = keys.slice(at, at + MOST_KEYS);
    const [only] = page;
    if (page.length === 1 && only !== undefined) {
      await removeOne(only);
      continue;
    }
    const Delete = { Objects: page.map((Key) => ({ Key })), Quiet: true };
    const failed = await ask({ name, signal }, async (client, options) => {
      const command = new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete });
      // The SDK has a CRC in its place, which older stores don't take.
      command.middlewareStack.add(
        (next) => (args) => {
          const request = args.request as { body: string; headers: Record<string, string> };
          const headers = Object.entries(request.headers).filter(([name]) => !/checksum/i.test(name));
          const md5 = md5Of(Buffer.from(request.body)).toString('base64');
          return next({ ...args, request: Object.assign(request, { headers: { ...Object.fromEntries(headers), 'content-md5': md5 } }) });
        },
        { step: 'build', priority: 'low', name: 'withMd5' },
      );
      const { Errors = [] } = await client.send(command, options);
      return Errors;
    });
    // Asked for alone, each is tried again, and fails with an error that says why.
    for (const { Key } of failed) if (Key !== undefined) await removeOne(Key);
  }
}
