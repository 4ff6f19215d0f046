import type { IssuedSecret } from './issued-secrets.js';
import type { CannedResponse, StepFault, StepFaultShares } from './step-faults.js';
import type { Step } from './issuer-steps.js';

/** Milliseconds that each thing is good for. */
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
  /** At most so many faults of each step, no limit by default. */
  readonly faultsPerStep?: number | undefined;
  /** Claim attempts of one registration that may be pending at once; 5 by default. */
  readonly maxAttempts?: number | undefined;
  /** Where there are several, the user must choose one on the claim page before the code is shown. */
  readonly organizations?: readonly string[] | undefined;
}

/** What tests may know of and do to the issuer beyond its endpoints. */
export interface IssuerControl {
  /** Every secret issued so far, oldest first. */
  readonly secrets: readonly IssuedSecret[];
  /** The step's next requests meet these faults, in this order, before any drawn ones. */
  failNext(step: Step, ...faults: readonly StepFault[]): void;
  /** The step's next requests are answered with these; they queue with the faults of failNext. */
  answerNext(step: Step, ...answers: readonly CannedResponse[]): void;
  /** Ends every identity of the e-mail: its assertions, refresh tokens and access tokens. */
  revoke(email: string): void;
}
