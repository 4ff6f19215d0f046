import { Readable } from 'node:stream';
import { TickhaulError } from '../../base/errors.js';
import { normalizeEtag } from './etag.js';
import type { ByteRange } from './object-store.js';
import type { S3Connection } from './s3-connection.js';
import { createGaveUpError } from './s3-errors.js';

export interface ObjectReadContext {
  readonly connection: S3Connection;
  readonly target: { readonly Bucket: string; readonly Key: string };
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/** How often a connection may break without a byte between. */
const MAX_DISCONNECTS = 5;

/** An object's bytes, by one request or, where connections break, by several; no condition is relied on. */
export async function* readObject(
  { connection, target, name, signal }: ObjectReadContext,
  { start = 0, end, etag: expected }: ByteRange,
): AsyncGenerator<Buffer, void> {
  let at = start;
  let last = end;
  let etag = expected;
  for (let breaks = 0; last === undefined || at < last; ) {
    const answer = await openRange({ connection, target, name, signal }, at, last);
    // Past the end.
    if (!answer) return;
    if (etag !== undefined && answer.etag !== etag) {
      answer.body.destroy();
      throw new TickhaulError('changed', `${name}: the object was replaced while it was read; run it again`);
    }
    etag = answer.etag;
    last = Math.min(last ?? Number.POSITIVE_INFINITY, answer.total);
    try {
      for await (const chunk of answer.body) {
        breaks = 0;
        at += chunk.length;
        yield chunk;
      }
      if (at >= last) return;
    } catch (error) {
      if (!(error instanceof TickhaulError) || !error.canRetry) throw error;
      if (++breaks > MAX_DISCONNECTS) throw createGaveUpError(error, name, breaks);
      continue;
    } finally {
      answer.body.destroy();
    }
    if (++breaks > MAX_DISCONNECTS) {
      throw new TickhaulError('store_down', `${name}: only ${at} of ${last} bytes came, again and again`);
    }
  }
}

interface OpenRange {
  readonly etag: string | undefined;
  /** Bytes of the whole object. */
  readonly total: number;
  readonly body: Readable;
}

/** @param end exclusive. @returns undefined where the object ends before. */
async function openRange(
  { connection, target, name, signal }: ObjectReadContext,
  start: number,
  end: number | undefined,
): Promise<OpenRange | undefined> {
  const isWhole = start === 0 && end === undefined;
  const Range = `bytes=${start}-${end === undefined ? '' : end - 1}`;
  const command = new connection.sdk.GetObjectCommand({ ...target, ...(!isWhole && { Range }) });
  return connection.send({ name, signal }, async (client, options) => {
    const answer = await client.send(command, options).catch((error: unknown) => {
      if (isPastTheEnd(error)) return undefined;
      throw error;
    });
    if (!answer) return undefined;
    const { Body, ETag, ContentRange, ContentLength } = answer;
    if (!(Body instanceof Readable)) throw new TypeError('an object that is no stream');
    const [, from = '0', total = ContentLength] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? [];
    if (Number(from) !== start || total === undefined) {
      Body.destroy();
      throw new TickhaulError('bad_answer', `${name}: the store gave other bytes than those asked for`);
    }
    return { etag: normalizeEtag(ETag), total: Number(total), body: Body };
  });
}

function isPastTheEnd(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidRange';
}
