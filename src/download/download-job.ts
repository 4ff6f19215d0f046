import type { ServiceClient } from '../service/http/service-client.js';
import type { DownloadOptions } from './download-options.js';
import type { CountedPlan } from './plan/create-download-plan.js';

/** One plan, and how its files are brought. */
export interface DownloadJob {
  /** Told with each file, where there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: CountedPlan;
  /** Paths of files, next in the plan after the probes, that go before the rest of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly options: DownloadOptions;
  readonly client: ServiceClient;
}
