import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { REFUSAL_RULES } from '../../src/account/issuer-refusals.js';

const redirect =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { location: `${response.getHeader('x-elsewhere')}/x` }).end();
  };

/** Error codes of all steps. */
const ISSUER_CODES = Object.values(REFUSAL_RULES).flatMap((rules) => Object.keys(rules));

/** A response with all required fields, valid at every step. */
export const VALID_RESPONSE = {
  claim: { token: 'a-claim-token' },
  attempt: { verification_uri: 'https://example.com/claim' },
  identity: { assertion: 'an-assertion', refresh_token: { value: 'a-refresh-token' } },
  access_token: 'an-access-token',
  authorization_servers: ['https://auth.example.com'],
};

const text = fc.oneof(fc.string(), fc.anything());

/** A JSON object with some of the required fields and any values. */
const almostValid = fc.record(
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
    code: fc.oneof(fc.anything(), fc.constantFrom('rate_limit_exceeded', ...ISSUER_CODES)),
    message: fc.oneof(fc.anything(), fc.string({ maxLength: 5000 })),
    retry_after: fc.anything(),
  },
  { requiredKeys: [] },
);

const json = fc
  .oneof(
    almostValid,
    almostValid.map((some) => ({ ...VALID_RESPONSE, ...some })),
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

/** Sends one response. */
export type Respond = (response: ServerResponse) => void;

/** Responses of every kind, including valid ones. */
export const answers: fc.Arbitrary<Respond> = fc.oneof(
  {
    arbitrary: fc.constant<Respond>((response) =>
      response.writeHead(200).end(JSON.stringify(VALID_RESPONSE)),
    ),
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
  // An endless response with a byte every 20 ms.
  {
    arbitrary: fc.constant<Respond>((response) => {
      response.write('{');
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    }),
    weight: 1,
  },
);
