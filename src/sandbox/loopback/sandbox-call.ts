import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxRequest } from '../sandbox-options.js';

/** One request and its response. */
export interface SandboxCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: SandboxRequest['host'];
  readonly settings: CallSettings;
}

/** Settings of all responses. */
export interface CallSettings {
  readonly latencyMs: number;
  /** Bytes per second of each body. */
  readonly rate: number;
  /** Aborted when the service closes. */
  readonly signal: AbortSignal;
  readonly log: (request: SandboxRequest) => void;
}

/** A handler of one host's requests. */
export type SandboxHandler = (call: SandboxCall) => Promise<void>;

/** The path and query of the request. */
export function parseTarget({ request }: SandboxCall): URL {
  return new URL(request.url ?? '/', 'http://sandbox.invalid');
}

/** Sends status and headers, after the latency. Every response starts here and is logged here. */
export async function startResponse(
  call: SandboxCall,
  status: number,
  headers: OutgoingHttpHeaders,
  fault?: SandboxRequest['fault'],
): Promise<void> {
  const { response, settings } = call;
  if (settings.latencyMs > 0) await sleep(settings.latencyMs, undefined, { signal: settings.signal });
  logResponse(call, status, fault);
  response.writeHead(status, headers);
  response.flushHeaders();
}

/** @param status 0 if the connection is reset without a response. */
export function logResponse(
  { request, host, settings }: SandboxCall,
  status: number,
  fault: SandboxRequest['fault'],
): void {
  settings.log({
    host,
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    authorization: request.headers.authorization !== undefined,
    status,
    fault,
    range: request.headers.range,
  });
}

/** Sends a complete response with a text body. */
export async function sendText(
  call: SandboxCall,
  status: number,
  contentType: string,
  text: string,
  headers: OutgoingHttpHeaders = {},
  fault?: SandboxRequest['fault'],
): Promise<void> {
  const length = Buffer.byteLength(text);
  await startResponse(
    call,
    status,
    { 'Content-Type': contentType, 'Content-Length': length, ...headers },
    fault,
  );
  call.response.end(call.request.method === 'HEAD' ? '' : text);
}

export function sendSandboxJson(
  call: SandboxCall,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
  fault?: SandboxRequest['fault'],
): Promise<void> {
  return sendText(call, status, 'application/json', JSON.stringify(value), headers, fault);
}

/** Sends an error response of the data hosts (`docs/spec/datasets-api.md#data-errors`). */
export function sendSandboxError(
  call: SandboxCall,
  status: number,
  code: number,
  message: string,
): Promise<void> {
  return sendSandboxJson(call, status, { code, message });
}
