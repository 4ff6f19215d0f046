import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { MINUTES_A_DAY, type MinuteRange, MS_A_MINUTE } from '../../dataset/minutes.js';
import { discardBody } from '../../http/body-watch.js';
import { pathSegment } from '../../service/datasets.js';
import type { Client } from '../../service/http/client.js';
import { errorAnswer } from '../../service/http/error-answer.js';
import { get, type Headers } from '../../service/http/http.js';
import type { RateLimit } from '../../transfer/rate.js';
import type { Encoding } from '../unpack/unpack.js';
import { HAS_ZSTD } from '../unpack/unzstd.js';

/** Minutes that one request may be about (service interface, Limits). */
export const MOST_MINUTES = 10;

/** Bytes of an answer: somewhat more than any slice has. */
const MOST_BYTES = 1024 * 1024 * 1024;

export interface SliceRequest extends MinuteRange {
  readonly exchange: string;
  /** In canonical form, as text; undefined for everything. */
  readonly filters: string | undefined;
}

/** A slice as the service sent it; nothing of it is proven yet. */
export interface SliceAnswer {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** Minutes that are in it: those that were asked for, unless it says something else. */
  readonly minutes: number;
  /** Minutes that the next request should be about; undefined where it doesn't say. */
  readonly suggested: number | undefined;
}

/** The slice's address: the same minute of the same filters always has the same one (replay facts, section 1). */
export function sliceUrl(base: string, { exchange, filters, start, end }: SliceRequest): string {
  const offset = start % MINUTES_A_DAY;
  const from = encodeURIComponent(new Date((start - offset) * MS_A_MINUTE).toISOString());
  const selected = filters === undefined ? '' : `&filters=${encodeURIComponent(filters)}`;
  const compression = HAS_ZSTD ? 'zstd' : 'gzip';
  const size = end - start > 1 ? `&sliceSize=${end - start}` : '';
  const query = `from=${from}&offset=${offset}${selected}&compression=${compression}${size}`;
  return `${base}/v1/data-feeds/${pathSegment(exchange)}?${query}`;
}

/**
 * Asks for one slice, once.
 * @param onHeaders told of the answer's headers, whatever its status.
 * @throws TickhaulError as the status says, or as `get` does; `bad_answer` for a compression that wasn't asked for.
 */
export async function requestSlice(
  client: Client,
  request: SliceRequest,
  rate: RateLimit,
  onHeaders: (headers: Headers) => void,
  signal: AbortSignal,
): Promise<SliceAnswer> {
  const { apiKey, apiUrl } = client.config;
  const headers = {
    'accept-encoding': HAS_ZSTD ? 'zstd, gzip' : 'gzip',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const answer = await get(client, sliceUrl(apiUrl, request), headers, signal);
  onHeaders(answer.headers);
  if (answer.status !== 200) throw await errorAnswer(answer, apiKey);
  const encoding = encodingOf(answer.headers);
  if (!encoding) {
    await discardBody(answer.body);
    const found = answer.headers['content-encoding'];
    throw new TickhaulError('bad_answer', `${answer.name}: expected gzip or zstd, found "${found}"`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) {
      throw new TickhaulError(
        'bad_answer',
        `${answer.name}: an answer of more than ${formatSize(MOST_BYTES)}`,
      );
    }
    await rate(chunk.length, signal);
  }
  return {
    bytes: joined(chunks, length),
    encoding,
    minutes: minutesOf(answer.headers['x-slice-size']) ?? request.end - request.start,
    suggested: minutesOf(answer.headers['x-suggested-slice-size']),
  };
}

/** A small answer comes in one piece. */
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, length);
}

/** An answer that doesn't say is gzip, as those of old caches are. */
function encodingOf(headers: Headers): Encoding | undefined {
  const name = headers['content-encoding']?.trim().toLowerCase() ?? 'gzip';
  return name === 'gzip' || name === 'zstd' ? name : undefined;
}

/** A count of minutes that an answer can have. */
function minutesOf(text: string | undefined): number | undefined {
  const minutes = Number(text?.trim() || Number.NaN);
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= MOST_MINUTES ? minutes : undefined;
}
