import { usageError } from '../base/errors.js';
import { letRequestsStart } from '../base/wait.js';
import type { Connections, HttpAgents } from '../http/http-agents.js';
import { readProxySettings } from '../http/proxy-settings.js';
import type { RequestLog } from '../http/send-http-request.js';
import type { ResponseBody } from '../http/watched-body.js';

/** Connections of one run, kept alive between requests. */
export interface ServiceClient {
  /** The given configuration with a trimmed key and validated addresses. */
  readonly config: ServiceConfig;
  /** Connections for this address: direct, or through the proxy that the environment sets. */
  connectionsFor(url: URL): Promise<Connections>;
  /**
   * Resolves when the requests so far can be sent; at once without any. Await it before loading modules that only the
   * responses need, which would delay the requests.
   */
  requestsStarted(): Promise<void>;
  /** Aborts running requests and closes the sockets. */
  close(): Promise<void>;
}

/**
 * Creates a client of the service without connecting. The HTTP client is loaded on first use: loading takes long, and
 * a run that finds all files on disk needs no connection.
 * @throws usage error for an address or a proxy that is not an http(s) URL, for a key that cannot be sent, or that would
 * be sent in plain text.
 */
export function createServiceClient(config: ServiceConfig): ServiceClient {
  const checked: ServiceConfig = {
    ...config,
    apiUrl: assertUrl('API URL', config.apiUrl),
    datasetsUrl: assertUrl('datasets URL', config.datasetsUrl),
    apiKey: assertApiKey(config.apiKey),
  };
  assertSecureForKey(checked);
  const proxies = readProxySettings(config.env);
  let agents: Promise<HttpAgents> | undefined;
  const loadAgents = async (): Promise<HttpAgents> =>
    (await import('../http/http-agents.js')).createHttpAgents(proxies);
  return {
    config: checked,
    connectionsFor: async (url) => {
      agents ??= loadAgents();
      return (await agents).agentFor(url);
    },
    requestsStarted: async () => {
      if (!agents) return;
      await agents;
      await letRequestsStart();
    },
    close: async () => (await agents)?.close(),
  };
}

function assertUrl(name: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usageError(`the ${name} "${text}" is not a URL; include the scheme, as in https://host`);
  }
  return text.replace(/\/+$/, '');
}

/** Every request with the key goes to one of these hosts; redirects to others are sent without it. */
function assertSecureForKey({ apiUrl, datasetsUrl, apiKey, allowHttp }: ServiceConfig): void {
  if (apiKey === undefined || allowHttp === true) return;
  const insecure = [apiUrl, datasetsUrl].map((url) => new URL(url)).find((url) => !isSecureUrl(url));
  if (insecure === undefined) return;
  throw usageError(
    `${insecure.origin}: the API key would be sent over plain http, where others can read it; use https, or --allow-http if the network is trusted`,
  );
}

function assertApiKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw usageError(
      'the API key contains a blank, a line break or another invalid character; copy it again',
    );
  }
  return trimmed;
}

/** Whether secrets may be sent to a URL: https, or plain http to this machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** 127.0.0.0/8, ::1, and names under `localhost` (RFC 6761, section 6.3). */
function isLoopback(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]' || /(^|\.)localhost$/.test(hostname);
}

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
