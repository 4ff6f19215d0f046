import type { ProcessGroup } from '../base/keyed-mutex.js';
import type { LayoutChoice } from '../dataset/layout.js';
import type { DownloadSettings } from '../download/download-options.js';
import type { FeedRunOptions } from '../feeds/create-feed-run.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { ClientLimit } from './client-limit.js';
import type { MemoryUsage, ServerCounts } from './server-metrics.js';

/** Options of the server (docs/spec/local-server.md#configuration): plain data, apart from the client and the log. */
export interface ServeOptions {
  /** HTTP port; WebSocket uses the next one. 0 for any two free ports. */
  readonly port: number;
  /** Listen address. */
  readonly host: string;
  /** Origins of other pages that may use the server. */
  readonly allowOrigins: readonly string[];
  /** Maximum number of concurrent clients over all processes. */
  readonly maxClients: number;
  /** Whether responses are compressed for clients that accept it. */
  readonly isCompressed: boolean;
  /** Source of normalized messages. */
  readonly source: 'feeds' | 'datasets';
  /** Access to the raw data API. */
  readonly feeds: Omit<FeedRunOptions, 'emit' | 'signal'>;
  /** Folder with stored copies of exchange records. */
  readonly records: string;
  /** Folder or bucket of the day files. */
  readonly destination: Destination;
  readonly dayFiles: {
    readonly options: DownloadSettings;
    readonly layout: LayoutChoice;
    readonly owner: () => LockOwner;
  };
  readonly log: ServerLog;
  /** Memory of this process. */
  readonly memory: () => MemoryUsage;
  /** Set in a worker of a cluster. */
  readonly cluster?: ClusterShare | undefined;
}

/** State that the workers of a cluster share. */
export interface ClusterShare extends ProcessGroup {
  /** Limit over all workers. */
  readonly clients: ClientLimit;
  /** Prints each warning once, also if several workers report it. */
  warnOnce(line: string): void;
  /** Sum over all workers. @throws if the primary process does not respond. */
  counts(): Promise<ServerCounts>;
}

/** Receives lines without line ends. They never contain a key. */
export interface ServerLog {
  warn(line: string): void;
  /** Receives a line for each request, if requested. */
  readonly request?: ((line: string) => void) | undefined;
  /** Receives details for debugging, if requested. */
  readonly debug?: ((line: string) => void) | undefined;
}
