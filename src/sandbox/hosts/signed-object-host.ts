import { createHmac, randomBytes } from 'node:crypto';
import type { GzipContent } from '../archive/gzip-content.js';
import {
  parseTarget,
  type SandboxCall,
  type SandboxHandler,
  sendText,
  startResponse,
} from './sandbox-call.js';
import type { FaultKind } from './sandbox-faults.js';
import { planBody, sendBody } from './send-body.js';

const SIGNATURE_LIFE_MS = 60_000;

interface SignedObject {
  readonly content: GzipContent;
  readonly fault: FaultKind | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** The second origin, to which the dataset host redirects. */
export interface SignedObjectHost {
  /** Returns the path and query at which the content is available for one minute. */
  sign(path: string, content: GzipContent, fault: FaultKind | undefined): string;
  readonly handle: SandboxHandler;
}

export function createSignedObjectHost(): SignedObjectHost {
  const secret = randomBytes(16);
  const signed = new Map<string, SignedObject>();
  let count = 0;
  return {
    sign: (path, content, fault) => {
      forgetExpired(signed);
      const expiresMs = Date.now() + SIGNATURE_LIFE_MS;
      const signature = createHmac('sha256', secret).update(`${path} ${expiresMs} ${count++}`).digest('hex');
      signed.set(`${path} ${signature}`, { content, fault, expiresMs });
      return `${path}?X-Expires=${expiresMs}&X-Signature=${signature}`;
    },
    handle: async (call) => {
      const { pathname, searchParams } = parseTarget(call);
      const object = signed.get(`${pathname} ${searchParams.get('X-Signature')}`);
      if (call.request.method !== 'GET' || !object || object.expiresMs < Date.now()) {
        const text = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
        return sendText(call, 403, 'application/xml', text);
      }
      return serve(call, object);
    },
  };
}

/** Sends the whole object, or the requested range of it (RFC 9110, sections 13.1.5, 14 and 15.3.7). */
async function serve(call: SandboxCall, { content, fault }: SignedObject): Promise<void> {
  const etag = `"${content.md5}"`;
  const { range: rangeHeader, 'if-range': ifRange } = call.request.headers;
  const usedRange = ifRange === undefined || ifRange === etag ? rangeHeader : undefined;
  const range = parseRange(usedRange, content.bytes);
  const common = { 'Accept-Ranges': 'bytes', ETag: etag };
  if (range === 'unsatisfiable') {
    const headers = { ...common, 'Content-Range': `bytes */${content.bytes}` };
    return sendText(call, 416, 'application/xml', '<Error><Code>InvalidRange</Code></Error>', headers);
  }
  const { start, end } = range ?? { start: 0, end: content.bytes };
  const plan = planBody(fault, end - start);
  const headers = {
    'Content-Type': 'application/gzip',
    ...common,
    ...(plan.announced === undefined ? {} : { 'Content-Length': plan.announced }),
    ...(range ? { 'Content-Range': `bytes ${start}-${end - 1}/${content.bytes}` } : {}),
  };
  await startResponse(call, range ? 206 : 200, headers, fault);
  await sendBody(call, content, start, plan);
}

function forgetExpired(signed: Map<string, SignedObject>): void {
  const now = Date.now();
  for (const [key, { expiresMs }] of signed) {
    // Entries are in the order of their expiry.
    if (expiresMs >= now) return;
    signed.delete(key);
  }
}

/** A byte range; `end` is not included. */
interface HttpRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header with a single range (RFC 9110, section 14.1.2) for a size in bytes.
 * @returns undefined for the whole content, if there is no header or it has another form; `unsatisfiable` if the range
 * starts after the end.
 */
function parseRange(header: string | undefined, size: number): HttpRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size) return 'unsatisfiable';
  return end <= start ? undefined : { start, end };
}
