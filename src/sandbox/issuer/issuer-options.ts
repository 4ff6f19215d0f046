import type { IssuedSecret } from './issued-secrets.js';
import type { Step } from './issuer-steps.js';
import type { CannedResponse, StepFault, StepFaultShares } from './step-faults.js';

/** Lifetimes in milliseconds. */
export interface Lifetimes {
  /** The claim token: the time between registration and completion; an hour by default. */
  readonly claim: number;
  /** A claim attempt: its link and its user code; 10 minutes by default. */
  readonly code: number;
  /** An hour by default; the JWT's `exp` is rounded down to a second. */
  readonly assertion: number;
  /** 30 days by default. */
  readonly refresh: number;
  /** The access token; 10 minutes by default. */
  readonly token: number;
}

export interface IssuerOptions {
  readonly lifetimes?: Readonly<Partial<Record<keyof Lifetimes, number | undefined>>> | undefined;
  /** Each step's faults, with their shares of its requests, 0 to 1. */
  readonly faults?: StepFaultShares | undefined;
  /** Maximum number of faults per step, no limit by default. */
  readonly faultsPerStep?: number | undefined;
  /** Claim attempts of one registration that may be pending at once; 5 by default. */
  readonly maxAttempts?: number | undefined;
  /** If there are several, the user must choose one on the claim page before the code is shown. */
  readonly organizations?: readonly string[] | undefined;
}

/** Control of the issuer for tests, besides its endpoints. */
export interface IssuerControl {
  /** Every secret issued so far, oldest first. */
  readonly secrets: readonly IssuedSecret[];
  /** Sets faults for the step's next requests, in this order, before any random ones. */
  failNext(step: Step, ...faults: readonly StepFault[]): void;
  /** Sets responses for the step's next requests; they queue with the faults of failNext. */
  answerNext(step: Step, ...answers: readonly CannedResponse[]): void;
  /** Revokes every identity of the e-mail address: its assertions, refresh tokens and access tokens. */
  revoke(email: string): void;
}
