import type { FaultShares } from '../http/sandbox-faults.js';
import type { FeedFault } from './feed-faults.js';

/** How the raw data API behaves. */
export interface SandboxFeedOptions {
  /** Share of the minutes with a disconnect that day files do not show, 0 by default. */
  readonly breaks?: number | undefined;
  /** Value of `x-suggested-slice-size`, 5 by default. */
  readonly suggestedMinutes?: number | undefined;
  /** Requests allowed per window, 3000 by default. */
  readonly requestLimit?: number | undefined;
  /** Seconds of a window, 60 by default. */
  readonly windowSeconds?: number | undefined;
  /** Each fault's share of the requests, 0 to 1. */
  readonly faults?: FaultShares<FeedFault> | undefined;
  /** Maximum number of faults per address, no limit by default. */
  readonly faultsPerSlice?: number | undefined;
}
