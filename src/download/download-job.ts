import type { KeyProblem } from '../run/exit-reasons.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { CountedPlan } from './plan/create-download-plan.js';

/** A plan, and the client that downloads its files. */
export interface DownloadJob {
  /** Reported with each file if there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: CountedPlan;
  /** Paths, directly after the probes in the plan, to process before the other files of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly client: ServiceClient;
  /** Why the API key covers no day but the free ones, for the summary. */
  readonly keyProblem?: KeyProblem | undefined;
  /** Whether the audits of the run leave out its files. */
  readonly isUnaudited?: boolean | undefined;
  /** Paths of a lock file, if any other day file in the folder makes the job fail. */
  readonly lockedPaths?: { has(path: string): boolean } | undefined;
}
