import type { Day } from '../day-files/day.js';
import type { DataFault, FaultKind, FaultShares, FeedFault } from './hosts/sandbox-faults.js';
import type { CannedResponse, Step, StepFault, StepFaultShares } from './issuer/issuer-steps.js';

export interface SandboxOptions {
  /** Port of the metadata host; the next ones are those of the dataset host, object store and issuer. 0 (default): any. */
  readonly port?: number | undefined;
  /** Milliseconds before the headers of each response. */
  readonly latencyMs?: number | undefined;
  /** Bytes per second of each body; unlimited by default. */
  readonly rate?: number | undefined;
  /** Rows of each synthetic day file, 2000 by default; quotes and snapshots have a row for each change of their levels. */
  readonly rows?: number | undefined;
  /** Equal seeds give equal bytes and faults; 1 by default. */
  readonly seed?: number | undefined;
  /** The first UTC day that is not exported. Default: today from 06:00 UTC on, before that yesterday. */
  readonly exportedUntil?: Day | undefined;
  /** Each fault's share of the dataset requests, or of the synthetic day files for a `DataFault`, 0 to 1. */
  readonly faults?: FaultShares<FaultKind | DataFault> | undefined;
  /** Maximum number of faults per dataset path, no limit by default. */
  readonly faultsPerFile?: number | undefined;
  /** Retry-After of faulty 429 and 403 responses, 1 second by default. */
  readonly retryAfterSeconds?: number | undefined;
  /** Dataset responses are a 302 to a second origin with a signed address that expires. It supports Range. */
  readonly redirect?: boolean | undefined;
  /** Options of the raw data API. */
  readonly feeds?: SandboxFeedOptions | undefined;
  /** Folder of `.csv` and `.csv.gz` day files, with slices in its `feeds`, to serve instead of synthetic data. */
  readonly replayDir?: string | undefined;
  /** Access of the key, and response of the key check: everything by default; empty for an expired key. */
  readonly keyAccess?: readonly SandboxKeyAccess[] | undefined;
  /** Disables the key check. */
  readonly noKeyInfo?: boolean | undefined;
  readonly issuer?: IssuerOptions | undefined;
  readonly onRequest?: ((request: SandboxRequest) => void) | undefined;
}

/** A request and its response. It never includes a key. */
export interface SandboxRequest {
  readonly host: 'api' | 'datasets' | 'objects' | 'issuer';
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether the request had an Authorization header. */
  readonly authorization: boolean;
  /** 0 if the connection was reset without a response. */
  readonly status: number;
  readonly fault?: FaultKind | FeedFault | StepFault | 'made-up' | undefined;
  /** The Range header. */
  readonly range?: string | undefined;
}

export interface Sandbox {
  /** Origins, without a slash at the end. */
  readonly apiUrl: string;
  readonly datasetsUrl: string;
  readonly issuerUrl: string;
  /** The key that gives access to every day. */
  readonly apiKey: string;
  readonly issuer: IssuerControl;
  /** The latest requests, oldest first. */
  readonly requests: readonly SandboxRequest[];
  /** Closes the service at once: resets open connections and removes temporary files. */
  close(): Promise<void>;
}

/** How the raw data API behaves. */
export interface SandboxFeedOptions {
  /** Share of the minutes with a disconnect that day files do not show, 0 by default. */
  readonly breaks?: number | undefined;
  /** Value of `x-suggested-slice-size`, 5 by default. */
  readonly suggestedMinutes?: number | undefined;
  /** Requests allowed per window, 3000 by default. */
  readonly requestLimit?: number | undefined;
  /** Length of a window in seconds; 60 by default. */
  readonly windowSeconds?: number | undefined;
  /** Each fault's share of the requests, 0 to 1. */
  readonly faults?: FaultShares<FeedFault> | undefined;
  /** Maximum number of faults per address, no limit by default. */
  readonly faultsPerSlice?: number | undefined;
}

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

/** Access of the key to one exchange, as in `GET /v1/api-key-info` (`docs/spec/metadata-api.md#key-info`). */
export interface SandboxKeyAccess {
  readonly exchange: string;
  readonly accessType: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  /** Empty for all symbols. */
  readonly symbols: readonly string[];
  readonly dataPlan: string;
}

export type SecretKind = 'claim_token' | 'user_code' | 'assertion' | 'refresh_token' | 'access_token';

/** A secret that may appear only in the identity store, never in output, logs or other files. */
export interface IssuedSecret {
  readonly kind: SecretKind;
  readonly value: string;
}
