import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import { FaultChooser, type FaultShares, parseShares } from '../hosts/sandbox-faults.js';

/**
 * The steps of the account protocol, each with its possible error codes (`docs/spec/account-api.md#issuer-error-codes`),
 * in the order of that table.
 */
export const STEP_CODES = {
  /** `POST /agent/identity` with type service_auth. */
  register: ['invalid_request', 'invalid_login_hint', 'service_auth_registration_disabled'],
  /** `POST /agent/identity/claim`. */
  claim: [
    'invalid_claim_token',
    'invalid_login_hint',
    'claim_expired',
    'claim_revoked',
    'already_claimed',
    'auth_method_disabled',
    'too_many_attempts',
  ],
  /** `POST /agent/identity/claim/complete`. */
  complete: [
    'auth_method_disabled',
    'claim_not_confirmed',
    'invalid_user_code',
    'user_code_expired',
    'claim_expired',
    'already_claimed',
    'claim_denied',
    'organization_selection_required',
    'stale_organization_selection',
  ],
  /** `POST /oauth2/token`. */
  token: ['invalid_request', 'invalid_grant', 'invalid_target', 'unsupported_grant_type'],
  /** `POST /agent/identity` with type refresh. */
  refresh: ['invalid_refresh_token'],
  /** The account operations. Their codes are not documented; the first is that of RFC 6750, section 3.1. */
  account: ['invalid_token', 'account_not_found'],
  /** `GET /v1/account/openapi.json`. */
  openapi: [],
  /** `GET /.well-known/oauth-protected-resource`. */
  resource: [],
  /** `GET /v1/api-key-info`, with the API key. */
  key: [],
} as const satisfies Readonly<Record<string, readonly RefusalCode[]>>;

export type Step = keyof typeof STEP_CODES;

export const STEPS = Object.keys(STEP_CODES) as readonly Step[];

/** HTTP status of each code. The statuses are not documented, so clients must rely on the codes. */
export const STATUS_BY_CODE = {
  invalid_request: 400,
  invalid_login_hint: 400,
  service_auth_registration_disabled: 403,
  invalid_claim_token: 401,
  claim_expired: 410,
  claim_revoked: 410,
  already_claimed: 409,
  auth_method_disabled: 403,
  too_many_attempts: 429,
  claim_not_confirmed: 409,
  invalid_user_code: 400,
  user_code_expired: 410,
  claim_denied: 403,
  organization_selection_required: 409,
  stale_organization_selection: 409,
  invalid_grant: 400,
  invalid_target: 400,
  unsupported_grant_type: 400,
  invalid_refresh_token: 401,
  invalid_token: 401,
  account_not_found: 404,
  not_found: 404,
  rate_limit_exceeded: 429,
} as const;

export type RefusalCode = keyof typeof STATUS_BY_CODE;

/** A refusal by a step, thrown by its work. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** Faults that any step can have, besides its error codes. */
export const GENERAL_FAULTS = [
  'rate_limit_exceeded',
  '500',
  '503',
  /** 200 with an HTML page. */
  'not-json',
  /** 200 with a JSON object that has none of the promised fields. */
  'missing-field',
  /** 307 to another origin. */
  'redirect',
  /** The connection is reset before the request takes effect. */
  'reset',
  /** The connection is reset after the request took effect: a refresh token is rotated, and the client lacks the new one. */
  'lost-answer',
  /** Headers and the first byte, then no further bytes. */
  'stall',
] as const;

export type StepFault = RefusalCode | (typeof GENERAL_FAULTS)[number];

/** Any response instead of the step's own, for tests of unusual responses. */
export interface CannedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Milliseconds before each byte of the body; without it, the body is sent at once. */
  readonly dripMs?: number;
}

/** Each step's faults, with their shares of its requests, 0 to 1. */
export type StepFaultShares = Readonly<Partial<Record<Step, FaultShares<StepFault>>>>;

function listStepFaults(step: Step): readonly StepFault[] {
  return [...STEP_CODES[step], ...GENERAL_FAULTS];
}

/**
 * Parses faults such as `complete:invalid_user_code=1,token:500=0.5`, comma-separated or repeated.
 * @throws usage error for an unknown step or fault, an invalid share, or shares of one step with a sum above 1.
 */
export function parseStepFaults(list: readonly string[]): StepFaultShares {
  const byStep = new Map<Step, string[]>();
  for (const text of list.flatMap((item) => item.split(',')).filter((item) => item.trim() !== '')) {
    const [, name = '', fault = ''] = /^\s*([^:]*?)\s*(?::(.*))?$/.exec(text) ?? [];
    const step = STEPS.find((known) => known === name);
    if (step === undefined) {
      throw usageError(
        `unknown step "${name}"${didYouMean(name, STEPS)} (use <step>:<fault>=<share>; steps: ${STEPS.join(', ')})`,
      );
    }
    if (fault.trim() === '') {
      throw usageError(`fault "${text}": use <step>:<fault>=<share>, for example ${step}:503=0.1`);
    }
    byStep.set(step, [...(byStep.get(step) ?? []), fault]);
  }
  const shares = [...byStep].map(([step, faults]) => [step, parseShares(faults, listStepFaults(step))]);
  return Object.fromEntries(shares) as StepFaultShares;
}

/** Chooses the fault of each request to a step: queued faults first, then seeded random ones. */
export class StepFaults {
  readonly #queued = new Map<Step, (StepFault | CannedResponse)[]>();
  readonly #choosers: ReadonlyMap<Step, FaultChooser<StepFault>>;

  /** @param maxPerStep maximum number of random faults per step. */
  constructor(shares: StepFaultShares, seed: number, maxPerStep: number) {
    this.#choosers = new Map(
      STEPS.map((step) => [step, new FaultChooser<StepFault>(shares[step] ?? {}, seed, maxPerStep)]),
    );
  }

  /** Queues faults for the step's next requests, in this order. */
  enqueue(step: Step, faults: readonly (StepFault | CannedResponse)[]): void {
    this.#queued.set(step, [...(this.#queued.get(step) ?? []), ...faults]);
  }

  next(step: Step): StepFault | CannedResponse | undefined {
    return this.#queued.get(step)?.shift() ?? this.#choosers.get(step)?.next(step, () => true);
  }
}
