import { type RequestListener, request as send } from 'node:http';
import type { TestContext } from 'node:test';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { serve } from '../service/loopback.js';

/**
 * Response to a request for a day file after the promise resolves: an error status, or the service's own
 * response.
 */
export type Gatekeeper = (url: string) => number | undefined | Promise<number | undefined>;

/** A dataset host in front of the embedded service that holds each request until the test releases it. */
export async function gated(t: TestContext, service: Sandbox, keeper: Gatekeeper): Promise<Sandbox> {
  const listener: RequestListener = async ({ url = '', headers }, response) => {
    const status = await keeper(url);
    if (status !== undefined) {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end('{"code":1,"message":"the gate is closed"}');
      return;
    }
    const passed = send(`${service.datasetsUrl}${url}`, { headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.once('close', () => passed.destroy());
    passed.end();
  };
  return { ...service, datasetsUrl: await serve(t, listener) };
}

/** A dataset host in front of the embedded service that replaces bodies. */
export interface Front {
  readonly service: Sandbox;
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** Returns the body to send; undefined to pass the service's on. */
  replace: ((body: Buffer, url: string) => Buffer | undefined) | undefined;
}

/** Starts a front that passes everything on until `replace` is set. */
export async function fronted(t: TestContext, service: Sandbox): Promise<Front> {
  const requests: string[] = [];
  const listener: RequestListener = async ({ url = '', headers }, response) => {
    requests.push(url);
    const { authorization } = headers;
    const answer = await fetch(`${service.datasetsUrl}${url}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    const sent = Buffer.from(await answer.arrayBuffer());
    const body = (answer.ok && front.replace?.(sent, url)) || sent;
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      'content-length': body.length,
    });
    response.end(body);
  };
  const front: Front = {
    service: { ...service, datasetsUrl: await serve(t, listener) },
    requests,
    replace: undefined,
  };
  return front;
}

/** A promise with its resolve function. */
export function opening(): { readonly open: () => void; readonly opened: Promise<undefined> } {
  let open = (): void => {};
  const opened = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { open, opened };
}
