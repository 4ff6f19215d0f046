import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { forward } from '../../helpers/forward.js';
import { serve } from '../../service/loopback.js';

/** A proxy of the dataset host that can close for a while, and that never completes some files. */
export interface ClosingFront {
  readonly url: string;
  /** Number of requests. */
  readonly asked: () => number;
  /** Resolves with the nth request. */
  reached(count: number): Promise<void>;
  /**
   * Responds with 429 for some seconds, with the remaining time.
   * @returns after that time, the offset of each request in milliseconds.
   */
  close(seconds: number): Promise<readonly number[]>;
}

/** @param isPoison whether the file at a path is to be broken for every client. */
export async function closingFront(
  t: TestContext,
  { datasetsUrl }: Sandbox,
  isPoison: (path: string) => boolean,
): Promise<ClosingFront> {
  const passOn = forward(datasetsUrl);
  const waiting = new Map<number, () => void>();
  let asked = 0;
  let closed: { readonly since: number; readonly until: number; readonly refused: number[] } | undefined;
  const url = await serve(t, (request, response) => {
    waiting.get(++asked)?.();
    const now = performance.now();
    if (closed && now < closed.until) {
      closed.refused.push(now - closed.since);
      refuse(response, Math.ceil((closed.until - now) / 1000));
    } else if (isPoison((request.url ?? '').split('?')[0] ?? '')) response.end('this is not gzip');
    else passOn(request, response);
  });
  return {
    url,
    asked: () => asked,
    reached: (count) =>
      new Promise((resolve) => {
        if (asked >= count) resolve();
        else waiting.set(count, resolve);
      }),
    async close(seconds) {
      const since = performance.now();
      const now = { since, until: since + seconds * 1000, refused: [] };
      closed = now;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      closed = undefined;
      return now.refused;
    },
  };
}

function refuse(response: ServerResponse, seconds: number): void {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': String(seconds) });
  response.end(JSON.stringify({ code: 429, message: 'You are sending data feed requests too quickly' }));
}
