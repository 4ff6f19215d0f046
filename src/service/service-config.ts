import type { RequestLog } from '../http/request-log.js';
import type { ResponseBody } from '../http/watched-body.js';

/** What every request needs to know. Made once a run (`createClient`), closed at its end. */
export interface ServiceConfig {
  /** Metadata host, without a slash at the end. */
  readonly apiUrl: string;
  /** Dataset host, without a slash at the end. */
  readonly datasetsUrl: string;
  /** Sent as a bearer token; with none, no Authorization header is sent at all. */
  readonly apiKey?: string | undefined;
  /** Milliseconds without a byte after which an answer is broken off. */
  readonly stallTimeoutMs: number;
  /** Bytes that an answer of the metadata host may have; 201 MB where it isn't said. */
  readonly maxAnswerBytes?: number | undefined;
  /** The environment, for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Told of every request as it is answered (`--verbose`); never holds a key. */
  readonly onRequest?: RequestLog | undefined;
}

/** Where a broken-off transfer goes on. */
export interface ResumePoint {
  /** Bytes that are on disk already. */
  readonly from: number;
  /** The strong validator that came with them. */
  readonly etag: string;
  /** The whole file's size. */
  readonly total: number;
}

/** An answer of the dataset host with a body still to be read; its reader must drain or destroy it. */
export interface DayFileResponse {
  /** The gzip file's own bytes, never decoded; errors with `stalled`, `reset` or `short_body`. */
  readonly body: ResponseBody;
  /** 0 for a whole answer; the resume point for a right 206. */
  readonly start: number;
  /** Size of the whole file, where announced (Content-Range, Content-Length, x-dataset-size). */
  readonly total: number | undefined;
  /** The hex digits of `x-md5`, without quotes and in lower case. */
  readonly md5: string | undefined;
  /** A strong ETag of an answer that offers `Accept-Ranges: bytes`: only then can a transfer be resumed. */
  readonly resumeEtag: string | undefined;
}

/** Takes an answer's JSON for what it should be; `name` is what an error names. Throws `bad_answer`. */
export type ParseResponse<T> = (json: unknown, name: string) => T;
