import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../../service/loopback.js';
import { cleanUp } from '../clean-up.js';
import { parseStoreCall, type StoreCall } from './call.js';

/**
 * Fault of a request:
 * - an error response with a status and a code of S3, without contacting the store;
 * - `error in 200`: the same with status 200, as from a store that fails after it started to respond;
 * - `cut request`: the connection breaks within the request body;
 * - `lost answer`: the store handles the request, and the connection breaks before the response;
 * - `held answer`: the store handles the request, and the response never arrives;
 * - `other etag`: the store handles the request, and the response has a wrong ETag;
 * - `cut answer`: the connection breaks within the response body;
 * - `silence`: nothing arrives;
 * - a function: changes the response of the store.
 */
export type Harm =
  | { readonly status: number; readonly code: string }
  | 'error in 200'
  | 'cut request'
  | 'lost answer'
  | 'held answer'
  | 'other etag'
  | 'cut answer'
  | 'silence'
  | ((answer: string) => string);

export const SLOW_DOWN: Harm = { status: 503, code: 'SlowDown' };

export interface Shim {
  /** URL to use instead of the store’s. */
  readonly endpoint: string;
  /** Requests in the order of arrival. */
  readonly calls: readonly StoreCall[];
  /**
   * Injects a fault into the next requests of a kind; later ones pass.
   * @param times number of requests.
   * @returns resolves at the first such request; for lost or held responses, when the store has handled it.
   */
  harm(operation: StoreCall['operation'], harm: Harm, times?: number, key?: RegExp): Promise<void>;
}

interface Rule {
  readonly operation: StoreCall['operation'];
  readonly harm: Harm;
  readonly key: RegExp;
  times: number;
  met(): void;
}

/**
 * A proxy before a store that injects faults. It forwards all headers, including Host, so signatures stay
 * valid.
 */
export async function shimFor(t: TestContext, store: string): Promise<Shim> {
  const agent = new Agent({ keepAlive: true });
  cleanUp(t, () => agent.destroy());
  const rules: Rule[] = [];
  const calls: StoreCall[] = [];
  const server = createServer((request, response) => {
    const call = parseStoreCall(request.method, request.url);
    calls.push(call);
    const rule = rules.find(
      ({ operation, key, times }) => times > 0 && operation === call.operation && key.test(call.key),
    );
    if (rule) rule.times--;
    handle(request, response, rule, (headers) =>
      requestOf(new URL(request.url ?? '', store), { method: request.method, headers, agent }),
    ).catch(() => request.socket.destroy());
  });
  const endpoint = await listen(t, server);
  return {
    endpoint,
    calls,
    harm: (operation, harm, times = 1, key = /(?:)/) =>
      new Promise((met) => rules.push({ operation, harm, key, times, met })),
  };
}

type Forward = (headers: string[]) => ReturnType<typeof requestOf>;

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  rule: Rule | undefined,
  forward: Forward,
): Promise<void> {
  const { harm } = rule ?? {};
  if (harm === 'silence') {
    request.resume();
    return rule?.met();
  }
  if (harm === 'cut request') {
    await once(request, 'data');
    request.socket.destroy();
    return rule?.met();
  }
  if (harm === 'error in 200' || typeof harm === 'object') {
    const { status, code } = harm === 'error in 200' ? { status: 200, code: 'InternalError' } : harm;
    request.resume();
    await once(request, 'end');
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(request.method === 'HEAD' ? undefined : errorBody(code));
    return rule?.met();
  }

  const onward = forward(headersOf(request));
  request.pipe(onward);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  if (harm === 'lost answer' || harm === 'held answer') {
    answer.resume();
    await once(answer, 'end');
    if (harm === 'lost answer') request.socket.destroy();
    return rule?.met();
  }
  if (typeof harm === 'function') {
    const text = harm(await readText(answer));
    response.writeHead(answer.statusCode ?? 0, { 'content-type': 'application/xml' });
    response.end(text);
    return rule?.met();
  }
  if (harm === 'other etag') {
    response.writeHead(answer.statusCode ?? 0, { ...answer.headers, etag: `"${'0'.repeat(32)}"` });
    answer.pipe(response);
    return rule?.met();
  }
  response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
  if (harm === 'cut answer') {
    const [first] = (await once(answer, 'data')) as [Buffer];
    response.write(first.subarray(0, first.length / 2), () => request.socket.destroy());
    answer.destroy();
    return rule?.met();
  }
  answer.pipe(response);
}

/** All headers except those of this connection, which are not signed. */
function headersOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => !/^(?:expect|connection)$/i.test(rawHeaders[at - (at % 2)] ?? ''));
}

const errorBody = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>of the shim</Message></Error>`;
