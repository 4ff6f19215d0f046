import type { EventSink } from '../run/run-events.js';
import type { Files, StoreSettings } from '../store/files.js';
import type { CheckThresholds } from './audit-record.js';
import type { DownloadFolders } from './download-folders.js';
import type { ExchangeFacts } from './exchange-facts.js';
import type { AuditSelection, AuditSource } from './plan-days.js';

export interface AuditInput {
  readonly sources: readonly AuditSource[];
  /** The folders and prefixes that were searched. */
  readonly roots: readonly string[];
  readonly selection: AuditSelection;
  readonly thresholds: CheckThresholds;
  /** Names of the checks that degrade a day, and `incident`. */
  readonly degrading: ReadonlySet<string>;
  /** Names of conditions and checks that make the run fail. */
  readonly failOn: ReadonlySet<string>;
  /** Whether files are read again that have a record. */
  readonly recheck: boolean;
  /** Files read at the same time. */
  readonly jobs: number;
  readonly files: Files;
  readonly store: StoreSettings | undefined;
  readonly folders: DownloadFolders;
  /** Called once for each exchange. */
  readonly fetchFacts: (exchange: string) => Promise<ExchangeFacts>;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}
