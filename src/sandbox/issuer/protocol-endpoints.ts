import type { SandboxCall, SandboxHandler } from '../http/sandbox-call.js';
import { type AnswerSettings, answerStep } from './answer-step.js';
import type { Claims } from './claims.js';
import type { Identities } from './identities.js';
import { readUrlEncodedForm, readJsonBody } from './request-body.js';
import { Refusal } from './issuer-steps.js';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface ProtocolOptions {
  readonly claims: Claims;
  readonly identities: Identities;
  readonly answering: AnswerSettings;
  /** Whether a resource URI is the account API's (RFC 8707). */
  readonly isResource: (uri: string) => boolean;
}

/** The endpoints of an agent, by method and path (service interface, Identity issuer endpoints). */
export function createProtocolEndpoints(options: ProtocolOptions): Readonly<Record<string, SandboxHandler>> {
  const { claims, identities, answering, isResource } = options;
  return {
    'POST /agent/identity': async (call) => {
      const { type, login_hint: loginHint, refresh_token: refreshToken } = await readJsonBody(call);
      if (type === 'refresh') {
        return answerStep(call, 'refresh', answering, () => ({
          body: identities.refresh(requireText('refresh_token', refreshToken), readOrigin(call)),
        }));
      }
      return answerStep(call, 'register', answering, () => {
        requireServiceAuth(type);
        return { body: { claim: { token: claims.register(loginHint) } } };
      });
    },
    'POST /agent/identity/claim': async (call) => {
      const { type, claim_token: token, login_hint: loginHint } = await readJsonBody(call);
      return answerStep(call, 'claim', answering, () => {
        requireServiceAuth(type);
        const { id } = claims.startAttempt(token, loginHint);
        return { body: { attempt: { verification_uri: `${readOrigin(call)}/claim?attempt=${id}` } } };
      });
    },
    'POST /agent/identity/claim/complete': async (call) => {
      const { claim_token: token, user_code: userCode } = await readJsonBody(call);
      return answerStep(call, 'complete', answering, () => ({
        body: identities.create(claims.complete(token, userCode), readOrigin(call)),
      }));
    },
    'POST /oauth2/token': async (call) => {
      const { grant_type: grantType, assertion, resource } = await readUrlEncodedForm(call);
      return answerStep(call, 'token', answering, () => {
        if (grantType !== GRANT_TYPE) {
          throw new Refusal('unsupported_grant_type', `grant_type must be ${GRANT_TYPE}`);
        }
        if (resource !== undefined && !isResource(resource)) {
          throw new Refusal('invalid_target', 'The resource is not known');
        }
        return { body: identities.exchange(requireText('assertion', assertion)) };
      });
    },
  };
}

/** The origin under which the client reached the issuer. */
function readOrigin({ request }: SandboxCall): string {
  return `http://${request.headers.host}`;
}

function requireServiceAuth(type: unknown): void {
  if (type !== 'service_auth')
    throw new Refusal('invalid_request', 'type is not one that this endpoint takes');
}

/** The field's text. */
function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal('invalid_request', `${name} is missing`);
}
