import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { forward } from '../helpers/forward.js';
import { serve } from '../service/loopback.js';

/**
 * The embedded service behind a server that answers some slice requests itself.
 * @param answer called with the requested minute of the day; returns false to forward the request.
 */
export async function startFront(
  t: TestContext,
  service: Sandbox,
  answer: (minute: number, response: ServerResponse) => boolean,
): Promise<Sandbox> {
  const passOn = forward(service.apiUrl);
  const apiUrl = await serve(t, (request, response) => {
    const offset = /^\/v1\/data-feeds\/.*[?&]offset=(\d+)/.exec(request.url ?? '')?.[1];
    if (offset === undefined || !answer(Number(offset), response)) passOn(request, response);
  });
  return { ...service, apiUrl };
}
