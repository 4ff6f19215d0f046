import { type Route, route } from '../http/router.js';
import type { SandboxCall } from '../http/sandbox-call.js';
import { type AnswerSettings, answerStep } from './answer-step.js';
import type { Claims } from './claims.js';
import type { Identities } from './identities.js';
import { Refusal } from './issuer-steps.js';
import { readJsonBody, readUrlEncodedForm } from './request-body.js';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface ProtocolOptions {
  readonly claims: Claims;
  readonly identities: Identities;
  readonly answerSettings: AnswerSettings;
  /** Whether a resource URI is that of the account API (RFC 8707). */
  readonly isResource: (uri: string) => boolean;
}

/** The routes for agents (`docs/spec/account-api.md#issuer-endpoints`). */
export function createProtocolRoutes(options: ProtocolOptions): readonly Route[] {
  const { claims, identities, answerSettings, isResource } = options;
  return [
    route('POST', '/agent/identity', async (call) => {
      const { type, login_hint: loginHint, refresh_token: refreshToken } = await readJsonBody(call);
      if (type === 'refresh') {
        return answerStep(call, 'refresh', answerSettings, () => ({
          body: identities.refresh(requireText('refresh_token', refreshToken), readOrigin(call)),
        }));
      }
      return answerStep(call, 'register', answerSettings, () => {
        requireServiceAuth(type);
        return { body: { claim: { token: claims.register(loginHint) } } };
      });
    }),
    route('POST', '/agent/identity/claim', async (call) => {
      const { type, claim_token: token, login_hint: loginHint } = await readJsonBody(call);
      return answerStep(call, 'claim', answerSettings, () => {
        requireServiceAuth(type);
        const { id } = claims.startAttempt(token, loginHint);
        return { body: { attempt: { verification_uri: `${readOrigin(call)}/claim?attempt=${id}` } } };
      });
    }),
    route('POST', '/agent/identity/claim/complete', async (call) => {
      const { claim_token: token, user_code: userCode } = await readJsonBody(call);
      return answerStep(call, 'complete', answerSettings, () => ({
        body: identities.create(claims.complete(token, userCode), readOrigin(call)),
      }));
    }),
    route('POST', '/oauth2/token', async (call) => {
      const { grant_type: grantType, assertion, resource } = await readUrlEncodedForm(call);
      return answerStep(call, 'token', answerSettings, () => {
        if (grantType !== GRANT_TYPE) {
          throw new Refusal('unsupported_grant_type', `grant_type must be ${GRANT_TYPE}`);
        }
        if (resource !== undefined && !isResource(resource)) {
          throw new Refusal('invalid_target', 'The resource is not known');
        }
        return { body: identities.exchange(requireText('assertion', assertion)) };
      });
    }),
  ];
}

/** The origin that the client used for the issuer. */
function readOrigin({ request }: SandboxCall): string {
  return `http://${request.headers.host}`;
}

function requireServiceAuth(type: unknown): void {
  if (type !== 'service_auth') throw new Refusal('invalid_request', 'type is not supported by this endpoint');
}

/** Returns the text of a required field. */
function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal('invalid_request', `${name} is missing`);
}
