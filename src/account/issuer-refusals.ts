import { type ErrorCode, TickhaulError } from '../base/errors.js';
import { RefusedError } from '../service/json-call.js';

/** Steps of the sign-in at which the issuer may refuse. */
type SignInStep = 'register' | 'claim' | 'complete' | 'exchange' | 'refresh';

/** How the client reacts to a refusal. */
type RefusalHandling =
  /** Fail with the error. */
  | 'fail'
  /** Restart with a registration. */
  | 'restart'
  /** Repeat the same request later. */
  | 'wait'
  /** Ask the user for the code again. */
  | 'ask'
  /** Start a new claim attempt, which has a new link. */
  | 'fresh-link'
  /** Let the user select something on the page and enter the code again. */
  | 'reselect';

interface Rule {
  readonly handling: RefusalHandling;
  /** Error code if the handling does not succeed. */
  readonly code: ErrorCode;
  readonly meaning: string;
  /** Next step for the user if the sign-in has ended. */
  readonly advice?: string;
}

const advice = 'sign in again with tickhaul login --email <address>';

const fixEmail: Rule = {
  handling: 'fail',
  code: 'usage',
  meaning: 'the issuer does not accept this e-mail; set --email to the address that you sign in with',
};
const disabled: Rule = {
  handling: 'fail',
  code: 'no_access',
  meaning: 'signing in by e-mail and code is not enabled here; ask the operator of the service',
};
const endedClaim = (meaning: string): Rule => ({
  handling: 'restart',
  code: 'claim_failed',
  meaning,
  advice: 'a second registration was refused too; run tickhaul login again',
});
const reselect: Rule = {
  handling: 'reselect',
  code: 'claim_failed',
  meaning: 'an organization must be selected on the page',
};
const expiredClaim = endedClaim('the claim has expired');
const claimedClaim = endedClaim('the claim was completed before');

/** Handling of each error code at each step (`docs/spec/account-api.md#issuer-error-codes`). */
export const REFUSAL_RULES: Readonly<Record<SignInStep, Readonly<Record<string, Rule>>>> = {
  register: {
    invalid_request: {
      handling: 'fail',
      code: 'rejected',
      meaning: 'the issuer does not support this registration; update tickhaul',
    },
    invalid_login_hint: fixEmail,
    service_auth_registration_disabled: disabled,
  },
  claim: {
    invalid_claim_token: endedClaim('the issuer no longer knows the registration'),
    invalid_login_hint: fixEmail,
    claim_expired: expiredClaim,
    claim_revoked: endedClaim('the claim was revoked'),
    already_claimed: claimedClaim,
    auth_method_disabled: disabled,
    too_many_attempts: {
      handling: 'wait',
      code: 'timed_out',
      meaning: 'too many attempts are pending; wait until one expires',
    },
  },
  complete: {
    claim_not_confirmed: {
      handling: 'wait',
      code: 'timed_out',
      meaning: 'the sign-in on the page is not finished',
    },
    invalid_user_code: { handling: 'ask', code: 'claim_failed', meaning: 'the code is wrong' },
    user_code_expired: { handling: 'fresh-link', code: 'claim_failed', meaning: 'the code has expired' },
    claim_expired: expiredClaim,
    already_claimed: claimedClaim,
    claim_denied: endedClaim('the claim was denied on the page'),
    auth_method_disabled: disabled,
    organization_selection_required: reselect,
    stale_organization_selection: reselect,
  },
  exchange: {
    invalid_request: {
      handling: 'fail',
      code: 'not_signed_in',
      meaning:
        'the issuer cannot read the stored identity; remove it with tickhaul logout --email <address>, then sign in again',
    },
    invalid_grant: {
      handling: 'restart',
      code: 'not_signed_in',
      meaning: 'the stored identity has expired or was revoked',
      advice,
    },
    invalid_target: {
      handling: 'fail',
      code: 'usage',
      meaning: 'the issuer does not know this API host; check --api-url and --auth-url',
    },
    unsupported_grant_type: {
      handling: 'fail',
      code: 'rejected',
      meaning: 'the issuer does not support the jwt-bearer grant; check --auth-url',
    },
  },
  refresh: {
    invalid_refresh_token: {
      handling: 'restart',
      code: 'not_signed_in',
      meaning: 'the stored identity can no longer be refreshed',
      advice,
    },
  },
};

/** A refusal of the issuer with a defined handling. */
export class IssuerRefusal extends TickhaulError {
  readonly handling: RefusalHandling;
  /** The issuer's code, such as `claim_denied`. */
  readonly refusal: string;
  /** The message without advice. */
  readonly meaning: string;

  constructor(rule: Rule, refused: RefusedError) {
    const { refusal, quote, status } = refused;
    const meaning = `${rule.meaning} (${refusal}${quote})`;
    const message = rule.advice === undefined ? meaning : `${meaning}; ${rule.advice}`;
    super(rule.code, message, { status, cause: refused });
    this.meaning = meaning;
    this.handling = rule.handling;
    this.refusal = refusal;
  }
}

/** Runs one step and converts a refusal in `REFUSAL_RULES` to an IssuerRefusal. @throws other errors unchanged. */
export async function runStep<T>(step: SignInStep, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const rule = new Map(Object.entries(REFUSAL_RULES[step])).get(error.refusal);
    throw rule ? new IssuerRefusal(rule, error) : error;
  }
}
