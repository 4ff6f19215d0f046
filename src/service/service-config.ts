import type { RequestLog } from '../http/send-http-request.js';
import type { ResponseBody } from '../http/watched-body.js';

/** Settings of all requests of a run. */
export interface ServiceConfig {
  /** Metadata host, without a trailing slash. */
  readonly apiUrl: string;
  /** Dataset host, without a trailing slash. */
  readonly datasetsUrl: string;
  /** Sent as a bearer token. If undefined, no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  /** Whether the key may be sent to other machines over plain http. */
  readonly allowHttp?: boolean | undefined;
  /** Milliseconds without a byte after which a response is aborted. */
  readonly stallTimeoutMs: number;
  /** Largest response of the metadata host; 192 MiB by default. */
  readonly maxAnswerBytes?: number | undefined;
  /** The environment, for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called for each request and response (`--verbose`); its texts never contain a key. */
  readonly onRequest?: RequestLog | undefined;
}

/** Position at which an interrupted transfer resumes. */
export interface ResumePoint {
  /** Bytes that are already on disk. */
  readonly from: number;
  /** Strong validator of the response that sent them. */
  readonly etag: string;
  /** Size of the whole file in bytes. */
  readonly total: number;
}

/** Response of the dataset host with an unread body; the reader must read it to its end or destroy it. */
export interface DayFileResponse {
  /** The bytes of the gzip file, never decoded; fails with `stalled`, `reset` or `short_body`. */
  readonly body: ResponseBody;
  /** 0 for a whole file; the resume point for a matching 206. */
  readonly start: number;
  /** Size of the whole file in bytes if announced (Content-Range, Content-Length, x-dataset-size). */
  readonly total: number | undefined;
  /** Hex digits of `x-md5`, in lower case without quotes. */
  readonly md5: string | undefined;
  /** Strong ETag of a response with `Accept-Ranges: bytes`: the transfer can be resumed only with both. */
  readonly resumeEtag: string | undefined;
}

/** Validates a response's JSON and returns it typed. `name` is used in errors. @throws TickhaulError `bad_answer`. */
export type ParseResponse<T> = (json: unknown, name: string) => T;
