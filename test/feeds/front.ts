import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Sandbox } from '../../src/sandbox/options.js';
import { serve } from '../service/loopback.js';

/**
 * The embedded service behind a server that answers some requests for slices in its place.
 * @param answer given the minute of the day that is asked for; false for what the service is to answer.
 */
export async function behindFront(
  t: TestContext,
  service: Sandbox,
  answer: (minute: number, response: ServerResponse) => boolean,
): Promise<Sandbox> {
  const forward = ({ url, headers }: IncomingMessage, response: ServerResponse): void => {
    get(`${service.apiUrl}${url}`, { headers }, (found) => {
      response.writeHead(found.statusCode ?? 500, found.headers);
      // Either side may end it: a replay that failed, or the service at the test's end.
      pipeline(found, response, () => {});
    }).on('error', () => response.destroy());
  };
  const apiUrl = await serve(t, (request, response) => {
    const offset = /^\/v1\/data-feeds\/.*[?&]offset=(\d+)/.exec(request.url ?? '')?.[1];
    if (offset === undefined || !answer(Number(offset), response)) forward(request, response);
  });
  return { ...service, apiUrl };
}
