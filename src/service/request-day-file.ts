import { usageError } from '../base/errors.js';
import { formatDay } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import { isTemporaryFailure } from '../http/failed-response.js';
import { parseByteCount } from '../http/send-http-request.js';
import { discardBody } from '../http/watched-body.js';
import { isRedirectRefusal, readErrorResponse } from './read-error-response.js';
import { type ServiceResponse, sendGet } from './send-request.js';
import type { DayFileResponse, ResumePoint, ServiceClient } from './service-client.js';

export interface DayFileRequest {
  /** 0 for the first attempt. Later ones send `?retryAttempt=n`, so that a bad cached copy is not served again. */
  readonly attempt: number;
  readonly resume?: ResumePoint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Builds the day file's URL (`docs/spec/datasets-api.md#address`). @param base without a trailing slash. */
export function dayFileUrl(base: string, file: DayFile): string {
  const days = formatDay(file.day).split('-');
  return [base, 'v1', encodePathSegment(file.exchange), encodePathSegment(file.dataType), ...days]
    .concat(`${encodePathSegment(file.symbol)}.csv.gz`)
    .join('/');
}

/**
 * Encodes a text as one segment of a URL's path.
 * @throws usage error for an empty text, `.`, `..` and an unpaired surrogate.
 */
export function encodePathSegment(text: string): string {
  if (/^\.{0,2}$/.test(text) || /\p{Surrogate}/u.test(text)) {
    throw usageError(`"${text}" cannot be part of a service URL; check the name`);
  }
  return encodeURIComponent(text);
}

/**
 * Requests a day file. With a resume point it requests the rest, and uses the response only if it matches the bytes on
 * disk (`docs/spec/datasets-api.md#ranges`); otherwise the response is the whole file, from the start.
 * @throws TickhaulError by the response's status, or as `sendGet` does.
 */
export async function requestDayFile(
  client: ServiceClient,
  file: DayFile,
  { attempt, resume, signal }: DayFileRequest,
): Promise<DayFileResponse> {
  const { apiKey, datasetsUrl } = client.config;
  const url = dayFileUrl(datasetsUrl, file) + (attempt > 0 ? `?retryAttempt=${attempt}` : '');
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  if (resume) {
    const range = { range: `bytes=${resume.from}-`, 'if-range': resume.etag };
    const response = await sendGet(client, url, { ...headers, ...range }, signal);
    if (matchesResumePoint(response, resume)) return toPartialResponse(response, resume);
    if (response.status === 200) return toWholeResponse(response);
    // The cause is not the range, and a second request at once would only add load.
    const { status } = response;
    if (status === 401 || status === 429 || isTemporaryFailure(status) || isRedirectRefusal(response)) {
      throw await readErrorResponse(response, apiKey);
    }
    await discardBody(response.body);
  }
  const response = await sendGet(client, url, headers, signal);
  if (response.status !== 200) throw await readErrorResponse(response, apiKey);
  return toWholeResponse(response);
}

/** Whether a response is exactly the missing rest of the same content (RFC 9110, sections 14.4 and 15.3.7). */
function matchesResumePoint(
  { status, headers }: ServiceResponse,
  { from, etag, total }: ResumePoint,
): boolean {
  if (status !== 206) return false;
  const length = parseByteCount(headers['content-length']);
  return (
    headers['content-range']?.trim() === `bytes ${from}-${total - 1}/${total}` &&
    (length === undefined || length === total - from) &&
    (headers['etag'] === undefined || headers['etag'] === etag)
  );
}

function toPartialResponse(response: ServiceResponse, { from, etag, total }: ResumePoint): DayFileResponse {
  return { body: response.body, start: from, total, md5: readMd5Header(response), resumeEtag: etag };
}

function toWholeResponse(response: ServiceResponse): DayFileResponse {
  const { headers, body } = response;
  const total =
    parseByteCount(headers['content-length']) ?? parseByteCount(findHeader(response, 'x-dataset-size'));
  const offersRanges = headers['accept-ranges']?.trim().toLowerCase() === 'bytes';
  const etag = headers['etag'];
  const resumeEtag = offersRanges && etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
  return { body, start: 0, total, md5: readMd5Header(response), resumeEtag };
}

function readMd5Header(response: ServiceResponse): string | undefined {
  const hex = findHeader(response, 'x-md5')?.replaceAll('"', '').trim().toLowerCase();
  return hex !== undefined && /^[0-9a-f]{32}$/.test(hex) ? hex : undefined;
}

/** A header of the final response, or else of the latest redirect that has it. */
function findHeader({ headers, redirects }: ServiceResponse, name: string): string | undefined {
  return headers[name] ?? redirects.findLast((hop) => hop[name] !== undefined)?.[name];
}
