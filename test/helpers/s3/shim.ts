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
import { callOf, type StoreCall } from './call.js';

/**
 * What becomes of a request:
 * - an answer with a status and a code of S3's, which the store never saw;
 * - `error in 200`: the same with status 200, as a store answers that began to answer before it failed;
 * - `cut request`: the connection breaks within its body;
 * - `lost answer`: the store does it, and the connection breaks before the answer;
 * - `held answer`: the store does it, and the answer never comes;
 * - `other etag`: the store does it, and the answer has an ETag that is not the right one;
 * - `cut answer`: the connection breaks within the answer's body;
 * - `silence`: nothing at all comes;
 * - a function: makes another answer of the store's.
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
  /** To be addressed in the place of the store. */
  readonly endpoint: string;
  /** What came, in the order in which it came. */
  readonly calls: readonly StoreCall[];
  /**
   * Harms the next requests of a kind, and lets those after them pass.
   * @param times how many.
   * @returns resolves when the first was met: answers that are lost or held, when the store has done what was asked.
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

/** A proxy before a store that harms requests as it is told. Signatures hold: it hands on all headers, Host too. */
export async function shimFor(t: TestContext, store: string): Promise<Shim> {
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const rules: Rule[] = [];
  const calls: StoreCall[] = [];
  const server = createServer((request, response) => {
    const call = callOf(request.method, request.url);
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

/** All but what concerns this connection only, and is not signed. */
function headersOf({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, at) => !/^(?:expect|connection)$/i.test(rawHeaders[at - (at % 2)] ?? ''));
}

const errorBody = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>of the shim</Message></Error>`;
