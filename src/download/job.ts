import type { Client } from '../service/http/client.js';
import type { CountedPlan } from './plan/plan.js';
import type { DownloadOptions } from './types.js';

/** One plan, and how its files are brought. */
export interface DownloadJob {
  /** Told with each file, where there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: CountedPlan;
  /** Paths of files, next in the plan after the probes, that go before the rest of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly options: DownloadOptions;
  readonly client: Client;
}
