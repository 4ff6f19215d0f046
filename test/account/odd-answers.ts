import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { REFUSAL_RULES } from '../../src/account/sign-in/issuer-refusals.js';

const redirect =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { location: `${response.getHeader('x-elsewhere')}/x` }).end();
  };

/** The codes of every step. */
const TABLE = Object.values(REFUSAL_RULES).flatMap((rules) => Object.keys(rules));

/** Every promised field, as it should be: it leads on to the next step. */
export const RIGHT = {
  claim: { token: 'a-claim-token' },
  attempt: { verification_uri: 'https://example.com/claim' },
  identity: { assertion: 'an-assertion', refresh_token: { value: 'a-refresh-token' } },
  access_token: 'an-access-token',
  authorization_servers: ['https://auth.example.com'],
};

const text = fc.oneof(fc.string(), fc.anything());

/** A JSON value that has some of the promised fields, with anything in them. */
const nearly = fc.record(
  {
    claim: fc.oneof(fc.anything(), fc.record({ token: text })),
    attempt: fc.oneof(fc.anything(), fc.record({ verification_uri: fc.oneof(text, fc.webUrl()) })),
    identity: fc.oneof(
      fc.anything(),
      fc.record({ assertion: text, refresh_token: fc.oneof(fc.anything(), fc.record({ value: text })) }),
    ),
    access_token: text,
    expires_in: fc.anything(),
    authorization_servers: fc.oneof(fc.anything(), fc.array(fc.oneof(fc.webUrl(), fc.string()))),
    resource: fc.anything(),
    code: fc.oneof(fc.anything(), fc.constantFrom('rate_limit_exceeded', ...TABLE)),
    message: fc.oneof(fc.anything(), fc.string({ maxLength: 5000 })),
    retry_after: fc.anything(),
  },
  { requiredKeys: [] },
);

const json = fc
  .oneof(
    nearly,
    nearly.map((some) => ({ ...RIGHT, ...some })),
    fc.anything(),
  )
  .map((value) => JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? '');

const body = fc.oneof(
  { arbitrary: json, weight: 6 },
  { arbitrary: fc.string(), weight: 1 },
  { arbitrary: fc.constant(`{"identity":"${'x'.repeat(2_000_000)}"}`), weight: 1 },
  { arbitrary: fc.constant('['.repeat(200_000)), weight: 1 },
  { arbitrary: fc.constant(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), weight: 1 },
);

const status = fc.oneof(
  { arbitrary: fc.constantFrom(200, 201, 204, 400, 401, 403, 404, 429), weight: 8 },
  { arbitrary: fc.integer({ min: 200, max: 599 }), weight: 1 },
);

/** Sends one answer. */
export type Respond = (response: ServerResponse) => void;

/** Answers of every kind, right ones among them. */
export const answers: fc.Arbitrary<Respond> = fc.oneof(
  {
    arbitrary: fc.constant<Respond>((response) => response.writeHead(200).end(JSON.stringify(RIGHT))),
    weight: 8,
  },
  {
    arbitrary: fc.tuple(status, body).map(
      ([code, text]): Respond =>
        (response) =>
          void response.writeHead(code).end(text),
    ),
    weight: 10,
  },
  { arbitrary: fc.constantFrom(301, 302, 303, 307, 308).map(redirect), weight: 2 },
  { arbitrary: fc.constant<Respond>((response) => response.socket?.destroy()), weight: 1 },
  // A byte now and then, without an end.
  {
    arbitrary: fc.constant<Respond>((response) => {
      response.write('{');
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    }),
    weight: 1,
  },
);
