import type { FaultShares } from '../http/sandbox-faults.js';
import type { FeedFault } from './feed-faults.js';

/** How the raw data API behaves. */
export interface SandboxFeedOptions {
  /** Share of the minutes in which the connection breaks without a trace in day files, 0 by default. */
  readonly breaks?: number | undefined;
  /** What `x-suggested-slice-size` says, 5 by default. */
  readonly suggestedMinutes?: number | undefined;
  /** Requests that a window bears, 3000 by default. */
  readonly requestLimit?: number | undefined;
  /** Seconds until the count begins anew, 60 by default. */
  readonly windowSeconds?: number | undefined;
  /** Each fault's share of the requests, 0 to 1. */
  readonly faults?: FaultShares<FeedFault> | undefined;
  /** At most so many faults for one address, no limit by default. */
  readonly faultsPerSlice?: number | undefined;
}
