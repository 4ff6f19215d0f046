import { usageError } from '../base/errors.js';
import { formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import { parseByteCount } from '../http/send-http-request.js';
import { discardBody } from '../http/watched-body.js';
import { readErrorResponse } from './http/read-error-response.js';
import { type ServiceResponse, sendGet } from './http/send-request.js';
import type { ServiceClient } from './http/service-client.js';
import type { DayFileResponse, ResumePoint } from './service-config.js';

export interface DayFileRequest {
  /** 0 for the first try; each one after it carries `?retryAttempt=n`, so that no bad cached copy is served. */
  readonly attempt: number;
  readonly resume?: ResumePoint | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The day file's address (service interface, Datasets API). */
export function dayFileUrl(base: string, file: DayFile): string {
  const days = formatDay(file.day).split('-');
  return [base, 'v1', encodePathSegment(file.exchange), encodePathSegment(file.dataType), ...days]
    .concat(`${encodePathSegment(file.symbol)}.csv.gz`)
    .join('/');
}

/**
 * A text as one segment of a URL's path.
 * @throws usage error for what cannot be one: nothing, `.`, `..`, half a character.
 */
export function encodePathSegment(text: string): string {
  if (/^\.{0,2}$/.test(text) || /\p{Surrogate}/u.test(text)) {
    throw usageError(`"${text}" is not a name the service can know`);
  }
  return encodeURIComponent(text);
}

/**
 * Asks for a day file. With a resume point the rest is asked for, and taken only if it surely belongs to what
 * is on disk; else the answer is the whole file, from the start.
 * @throws TickhaulError as the answer's status says, or as `sendGet` does.
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
    const answer = await sendGet(client, url, { ...headers, ...range }, signal);
    if (isRightPart(answer, resume)) return toPartialResponse(answer, resume);
    if (answer.status === 200) return toWholeResponse(answer);
    // These say nothing of ranges, and another request at once would only add to the trouble.
    if (answer.status === 401 || answer.status === 429 || answer.status >= 500) {
      throw await readErrorResponse(answer, apiKey);
    }
    await discardBody(answer.body);
  }
  const answer = await sendGet(client, url, headers, signal);
  if (answer.status !== 200) throw await readErrorResponse(answer, apiKey);
  return toWholeResponse(answer);
}

/** Whether this is exactly the missing rest of the same content (RFC 9110, sections 14.4 and 15.3.7). */
function isRightPart({ status, headers }: ServiceResponse, { from, etag, total }: ResumePoint): boolean {
  if (status !== 206) return false;
  const length = parseByteCount(headers['content-length']);
  return (
    headers['content-range']?.trim() === `bytes ${from}-${total - 1}/${total}` &&
    (length === undefined || length === total - from) &&
    (headers['etag'] === undefined || headers['etag'] === etag)
  );
}

function toPartialResponse(answer: ServiceResponse, { from, etag, total }: ResumePoint): DayFileResponse {
  return { body: answer.body, start: from, total, md5: readMd5Header(answer), resumeEtag: etag };
}

function toWholeResponse(answer: ServiceResponse): DayFileResponse {
  const { headers, body } = answer;
  const total =
    parseByteCount(headers['content-length']) ?? parseByteCount(findHeader(answer, 'x-dataset-size'));
  const offersRanges = headers['accept-ranges']?.trim().toLowerCase() === 'bytes';
  const etag = headers['etag'];
  const resumeEtag = offersRanges && etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
  return { body, start: 0, total, md5: readMd5Header(answer), resumeEtag };
}

function readMd5Header(answer: ServiceResponse): string | undefined {
  const hex = findHeader(answer, 'x-md5')?.replaceAll('"', '').trim().toLowerCase();
  return hex !== undefined && /^[0-9a-f]{32}$/.test(hex) ? hex : undefined;
}

/** A header of the final answer or else of the latest redirect that has it. */
function findHeader({ headers, redirects }: ServiceResponse, name: string): string | undefined {
  return headers[name] ?? redirects.findLast((hop) => hop[name] !== undefined)?.[name];
}
