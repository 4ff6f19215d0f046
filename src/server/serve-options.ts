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
  /** Of HTTP; WebSocket is on the next one. 0 for any two that are free. */
  readonly port: number;
  /** The address that it listens on. */
  readonly host: string;
  /** Origins of pages, beside its own, that may use it. */
  readonly allowOrigins: readonly string[];
  /** Clients at once, of all processes. */
  readonly maxClients: number;
  /** Whether answers are compressed for clients that take it. */
  readonly isCompressed: boolean;
  /** Where normalized messages come from. */
  readonly source: 'feeds' | 'datasets';
  /** Of the raw data API. */
  readonly feeds: Omit<FeedRunOptions, 'emit' | 'signal'>;
  /** Folder of the exchange records' stored copies. */
  readonly records: string;
  /** Where day files lie. */
  readonly destination: Destination;
  readonly dayFiles: {
    readonly options: DownloadSettings;
    readonly layout: LayoutChoice;
    readonly owner: () => LockOwner;
  };
  readonly log: ServerLog;
  /** What the process holds, in bytes. */
  readonly memory: () => MemoryUsage;
  /** The cluster that it is a worker of. */
  readonly cluster?: ClusterShare | undefined;
}

/** What a worker has in common with the others of its cluster. */
export interface ClusterShare extends ProcessGroup {
  /** For clients of all workers together. */
  readonly clients: ClientLimit;
  /** Prints each warning once, also if several workers report it. */
  warnOnce(line: string): void;
  /** What all of them count. @throws where the primary process doesn't answer. */
  counts(): Promise<ServerCounts>;
}

/** Takes lines, without their end; none ever holds a key. */
export interface ServerLog {
  /** What somebody should know. */
  warn(line: string): void;
  /** Each request, where that is wanted. */
  readonly request?: ((line: string) => void) | undefined;
  /** What goes on inside, where that is wanted. */
  readonly debug?: ((line: string) => void) | undefined;
}
