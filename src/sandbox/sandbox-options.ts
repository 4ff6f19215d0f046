import type { Day } from '../dataset/day.js';
import type { FeedFault } from './feeds/feed-faults.js';
import type { SandboxFeedOptions } from './feeds/sandbox-feed-options.js';
import type { SandboxKeyAccess } from './hosts/sandbox-key-access.js';
import type { FaultKind, FaultShares } from './http/sandbox-faults.js';
import type { IssuerControl, IssuerOptions } from './issuer/issuer-options.js';
import type { StepFault } from './issuer/step-faults.js';

export interface SandboxOptions {
  /** Port of the metadata host; the dataset host has the next one, then the object store and the issuer. 0 (default): any. */
  readonly port?: number | undefined;
  /** Milliseconds before the headers of each answer. */
  readonly latencyMs?: number | undefined;
  /** Bytes a second of each body; unlimited by default. */
  readonly rate?: number | undefined;
  /** Rows of each made-up day file, 2000 by default; quotes and snapshots have one for each change of their levels. */
  readonly rows?: number | undefined;
  /** The same seed gives the same bytes and faults; 1 by default. */
  readonly seed?: number | undefined;
  /** The first UTC day that is not exported. Default: today from 06:00 UTC on, before that yesterday. */
  readonly exportedUntil?: Day | undefined;
  /** Each fault's share of the dataset requests, 0 to 1. */
  readonly faults?: FaultShares | undefined;
  /** At most so many faults for one dataset path, no limit by default. */
  readonly faultsPerFile?: number | undefined;
  /** What faulty 429 and 403 answers ask for, 1 second by default. */
  readonly retryAfterSeconds?: number | undefined;
  /** Dataset answers are a 302 to a second origin with a signed address that expires; Range works there. */
  readonly redirect?: boolean | undefined;
  /** The raw data API. */
  readonly feeds?: SandboxFeedOptions | undefined;
  /** Serve this folder's `.csv` and `.csv.gz` day files, and the slices below its `feeds`, in place of made-up ones. */
  readonly replayDir?: string | undefined;
  /** What the key may read and the key check answers: everything by default; nothing for an expired key. */
  readonly keyAccess?: readonly SandboxKeyAccess[] | undefined;
  /** A service without the key check. */
  readonly noKeyInfo?: boolean | undefined;
  readonly issuer?: IssuerOptions | undefined;
  readonly onRequest?: ((request: SandboxRequest) => void) | undefined;
}

/** A request as it was answered; never holds a key. */
export interface SandboxRequest {
  readonly host: 'api' | 'datasets' | 'objects' | 'issuer';
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether an Authorization header came with it. */
  readonly authorization: boolean;
  /** 0 where the connection was broken off without an answer. */
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
  /** The one key that opens every day. */
  readonly apiKey: string;
  readonly issuer: IssuerControl;
  /** The latest requests, oldest first. */
  readonly requests: readonly SandboxRequest[];
  /** Ends at once: breaks off open connections and removes temporary files. */
  close(): Promise<void>;
}
