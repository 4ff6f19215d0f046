import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GzipContent } from '../archive/gzip-content.js';
import { type SandboxCall, sendSandboxJson, sendText } from './sandbox-call.js';
import type { FaultKind } from './sandbox-faults.js';

/** How a body is sent: the announced length, the bytes, and the end. */
export interface BodyPlan {
  /** Announced bytes; undefined for a chunked body. */
  readonly announced: number | undefined;
  /** Bytes of the content that are sent. */
  readonly sent: number;
  /** Offset in the body of the byte with a flipped bit. */
  readonly flippedOffset?: number;
  /** Bytes to send after those of the content. */
  readonly after?: Buffer;
  readonly ending: 'end' | 'close' | 'reset' | 'stall';
}

const RESET_AFTER_MS = 30;
const TRAILING = Buffer.from('these bytes are not part of the gzip file');

/** @param length bytes of a response without a fault. */
export function planBody(fault: FaultKind | undefined, length: number): BodyPlan {
  const half = length >> 1;
  switch (fault) {
    case 'reset':
      return { announced: length, sent: half, ending: 'reset' };
    case 'stall':
      return { announced: length, sent: half, ending: 'stall' };
    case 'short':
      return { announced: length, sent: half, ending: 'close' };
    case 'truncate':
      return { announced: half, sent: half, ending: 'end' };
    case 'empty':
      return { announced: 0, sent: 0, ending: 'end' };
    case 'no-length':
      return { announced: undefined, sent: length, ending: 'end' };
    case 'bit-flip':
      return { announced: length, sent: length, flippedOffset: half, ending: 'end' };
    case 'trailing':
      return { announced: length + TRAILING.length, sent: length, after: TRAILING, ending: 'end' };
    default:
      return { announced: length, sent: length, ending: 'end' };
  }
}

/** Sends the body after the headers. @param start offset in the content. */
export async function sendBody(
  call: SandboxCall,
  content: GzipContent,
  start: number,
  plan: BodyPlan,
): Promise<void> {
  const { response, request, settings } = call;
  const source = applyBodyFault(content.read(start, start + plan.sent), plan);
  const paced = Number.isFinite(settings.rate) ? pace(source, settings.rate, settings.signal) : source;
  await pipeline(Readable.from(paced, { objectMode: false, highWaterMark: 262_144 }), response, {
    end: false,
  });
  if (plan.ending === 'end') response.end();
  else if (plan.ending === 'close') request.socket.end();
  else if (plan.ending === 'reset') {
    // A reset that overtakes unread bytes can look like a clean end, so the client gets time to read them.
    await sleep(RESET_AFTER_MS, undefined, { signal: settings.signal });
    request.socket.resetAndDestroy();
  }
}

async function* applyBodyFault(source: Readable, plan: BodyPlan): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    yield plan.flippedOffset === undefined ? chunk : flipBit(chunk, plan.flippedOffset - offset);
    offset += chunk.length;
  }
  if (plan.after) yield plan.after;
}

function flipBit(chunk: Buffer, at: number): Buffer {
  const byte = chunk[at];
  if (byte === undefined) return chunk;
  const copy = Buffer.from(chunk);
  copy[at] = byte ^ 0b100;
  return copy;
}

/** Sends twenty slices per second, each at its time. */
async function* pace(
  source: AsyncIterable<Buffer>,
  rate: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const slice = Math.max(1, Math.floor(rate / 20));
  const startMs = performance.now();
  let sent = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += slice) {
      const part = chunk.subarray(at, at + slice);
      sent += part.length;
      const aheadMs = (1000 * sent) / rate - (performance.now() - startMs);
      if (aheadMs > 1) await sleep(aheadMs, undefined, { signal });
      yield part;
    }
  }
}

/** Headers of `slow-start` are delayed by this much. */
const SLOW_START_MS = 1000;

/**
 * Sends the response of a fault that has one (`docs/spec/datasets-api.md#data-errors`), or delays the usual one.
 * @returns whether the response was sent.
 */
export async function sendFault(
  call: SandboxCall,
  fault: FaultKind | undefined,
  retryAfterSeconds: number,
): Promise<boolean> {
  if (fault === 'slow-start') await sleep(SLOW_START_MS, undefined, { signal: call.settings.signal });
  const sending = sendFaultResponse(call, fault, retryAfterSeconds);
  await sending;
  return sending !== undefined;
}

function sendFaultResponse(
  call: SandboxCall,
  fault: FaultKind | undefined,
  retryAfterSeconds: number,
): Promise<void> | undefined {
  const retryAfter = { 'Retry-After': retryAfterSeconds };
  switch (fault) {
    case 'html':
      return sendText(call, 200, 'text/html', '<!doctype html><title>Please sign in</title>', {}, fault);
    case 'rate-limit': {
      const message = 'You are sending data feed requests too quickly';
      return sendSandboxJson(call, 429, { code: 429, message }, retryAfter, fault);
    }
    case 'transfer-limit': {
      const message = 'Your account reached its data transfer limit';
      return sendSandboxJson(call, 429, { code: 429, message }, {}, fault);
    }
    case 'ip-lock': {
      const message = 'The API key is active from another IP address';
      return sendSandboxJson(call, 403, { code: 274, message, retryAfterSeconds }, retryAfter, fault);
    }
    case '500':
      return sendSandboxJson(call, 500, { code: 500, message: 'Internal server error' }, {}, fault);
    case '502':
    case '503':
      return sendText(call, Number(fault), 'text/html', `<h1>${fault}</h1>`, {}, fault);
    default:
      return undefined;
  }
}
