import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { abortReason, type FileError } from '../../base/errors.js';
import { createDeferred, rejectOnAbort } from '../../base/wait.js';
import type { ReplayServer } from '../replay-server.js';
import type { ClusterShare } from '../server-context.js';
import type { ServerCounts } from '../server-metrics.js';
import { type ConnectionNotice, ProcessLink, type WorkerInput } from './process-link.js';

/** The primary process, in a worker. */
export interface PrimaryLink {
  /** What the worker serves. */
  readonly input: unknown;
  readonly share: ClusterShare;
  /** Serves the connections that the primary process passes, until it ends the worker. */
  serve(server: ReplayServer): Promise<void>;
  /** Reports why the worker ends, so that the cluster prints it once. Resolves when the report was sent. */
  fail(error: FileError): Promise<void>;
}

/** Connects a worker to the primary process of its cluster. @param worker this process. */
export async function connectToPrimary(worker: Worker): Promise<PrimaryLink> {
  let server: ReplayServer | undefined;
  const graceMs = createDeferred<number>();
  const link = new ProcessLink(worker, {
    onRequest: async () =>
      server && { metrics: server.context.metrics, memory: server.context.options.memory() },
    onNotice(notice, socket) {
      if (notice.kind === 'end') graceMs.resolve(notice.graceMs);
      else if ('head' in notice) serveConnection(notice, socket);
    },
  });
  /** @param socket undefined if the client has left on the way. */
  const serveConnection = ({ kind, head, session }: ConnectionNotice, socket: Socket | undefined): void => {
    // Before anything is sent to the client: until then, another worker may still serve it.
    link.notify({ kind: 'accepted' });
    const leaveSession = (): void => {
      if (session !== undefined) link.notify({ kind: 'session-left', session });
    };
    if (!socket || !server) {
      socket?.destroy();
      leaveSession();
      return;
    }
    socket.once('close', leaveSession);
    if (head !== '') socket.unshift(Buffer.from(head, 'latin1'));
    (kind === 'http' ? server.http : server.sockets).emit('connection', socket);
    socket.resume();
  };
  const { input, workers } = (await link.request({ name: 'input' })) as WorkerInput;
  const share: ClusterShare = {
    processes: workers,
    warnOnce: (line) => link.notify({ kind: 'warning', line }),
    mutex: {
      async runExclusive(key, signal, task, createNote) {
        const lock = link.request({ name: 'lock', key });
        const previousNote = await rejectOnAbort(lock, signal).catch((error: unknown) => {
          // Release the lock when it is granted.
          lock.then(
            () => link.notify({ kind: 'unlock', key }),
            () => {},
          );
          throw error;
        });
        let note: number | undefined;
        try {
          if (signal.aborted) throw abortReason(signal);
          const result = await task(previousNote as number | undefined);
          note = createNote?.(result);
          return result;
        } finally {
          link.notify({ kind: 'unlock', key, note });
        }
      },
    },
    clients: {
      tryAcquire: async () => (await link.request({ name: 'add-client' })) as boolean,
      release: () => link.notify({ kind: 'client-left' }),
    },
    counts: async () => (await link.request({ name: 'counts' })) as ServerCounts,
  };
  return {
    input,
    share,
    async serve(ownServer) {
      server = ownServer;
      // The servers do not listen, but the limits of a client's requests start with this event.
      for (const listener of [ownServer.http, ownServer.sockets]) listener.emit('listening');
      link.notify({ kind: 'ready' });
      await ownServer.close(await graceMs.promise);
    },
    fail: (error) =>
      new Promise((resolve) => link.notify({ kind: 'failed', error }, undefined, () => resolve())),
  };
}
