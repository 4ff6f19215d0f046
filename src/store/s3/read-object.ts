import { Readable } from 'node:stream';
import { TickhaulError } from '../../base/errors.js';
import { judgeError } from '../../base/judge-error.js';
import { type ByteRange, normalizeEtag } from './object-store.js';
import type { S3Connection, Sdk, SendOnce } from './s3-connection.js';
import { createStoreGaveUpError } from './s3-errors.js';

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
    // The position is past the end of the object.
    if (!response) return;
    if (etag !== undefined && response.etag !== etag) {
      response.body.destroy();
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
