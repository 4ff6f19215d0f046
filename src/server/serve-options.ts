import type { ProcessGroup } from '../base/semaphore.js';
import type { LayoutChoice } from '../day-files/layout.js';
import type { DownloadSettings } from '../download/download-options.js';
import type { FeedRunOptions } from '../raw-feeds/feed-run.js';
import type { Destination } from '../store/destination.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { ClientLimit } from './client-limit.js';
import type { MemoryUsage, ServerCounts } from './server-metrics.js';

/** Options of the server (docs/spec/local-server.md#configuration). */
export interface ServeOptions {
  /** Port of HTTP; WebSocket has the next one. 0 for any two free ports. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Origins of other pages that may use the server. */
  readonly allowOrigins: readonly string[];
  /** Maximum number of clients of all processes together. */
  readonly maxClients: number;
  /** Whether responses are compressed for clients that accept it. */
  readonly isCompressed: boolean;
  /** Source of normalized messages. */
  readonly source: 'feeds' | 'datasets';
  /** Options of the raw data API. */
  readonly feeds: Omit<FeedRunOptions, 'emit' | 'signal'>;
  /** Folder with copies of the exchange records. */
  readonly records: string;
  /** Destination that contains the day files. */
  readonly destination: Destination;
  readonly dayFiles: {
    readonly options: DownloadSettings;
    readonly layout: LayoutChoice;
    readonly owner: () => LockOwner;
  };
  readonly log: ServerLog;
  /** Memory of the process. */
  readonly memory: () => MemoryUsage;
  /** Set if the server is a worker of a cluster. */
  readonly cluster?: ClusterShare | undefined;
}

/** What the workers of a cluster share. */
export interface ClusterShare extends ProcessGroup {
  /** Limit for the clients of all workers together. */
  readonly clients: ClientLimit;
  /** Prints each warning once, also if several workers report it. */
  warnOnce(line: string): void;
  /** Sums of all processes. @throws if the primary process has ended. */
  counts(): Promise<ServerCounts>;
}

/** Receives lines without their line break; no line contains a key. */
export interface ServerLog {
  /** Prints a warning. */
  warn(line: string): void;
  /** Logs each request; undefined if not requested. */
  readonly request?: ((line: string) => void) | undefined;
  /** Logs internal events; undefined if not requested. */
  readonly debug?: ((line: string) => void) | undefined;
}
