import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { abortReason } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { ReplayServer } from '../replay-server.js';
import type { ClusterShare } from '../serve-options.js';
import type { ServerCounts } from '../server-metrics.js';
import { type LinkNotice, ProcessLink, type WorkerInput } from './process-link.js';

/** A worker's connection to the primary process. */
export interface PrimaryLink {
  /** Options of the server. */
  readonly input: unknown;
  readonly share: ClusterShare;
  /** Serves the connections that the primary process passes, until it ends the worker. */
  serve(server: ReplayServer): Promise<void>;
  /** Reports why the worker ends, so that the cluster prints it once. Resolves when the report was sent. */
  fail(error: FileError): Promise<void>;
}

/** Connects to the primary process of a cluster. @param worker this process. */
export async function connectToPrimary(worker: Worker): Promise<PrimaryLink> {
  let server: ReplayServer | undefined;
  let end = (_graceMs: number): void => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const link = new ProcessLink(worker, {
    async onRequest(request) {
      if (request.name === 'beat') return true;
      return server && { metrics: server.serving.metrics, memory: server.serving.options.memory() };
    },
    onNotice(notice, socket) {
      if (notice.kind === 'end') end(notice.graceMs);
      if (socket && 'head' in notice) void accept(notice, socket);
    },
  });
  const accept = async (
    { kind, connection, head }: Extract<LinkNotice, { head: string }>,
    socket: Socket,
  ): Promise<void> => {
    // While this process was stopped, the connection may have been passed to another one.
    const isOwn = await link.request({ name: 'claim', connection }).catch(() => false);
    if (!server || isOwn !== true) return void socket.destroy();
    if (head !== '') socket.unshift(Buffer.from(head, 'latin1'));
    (kind === 'http' ? server.http : server.sockets).emit('connection', socket);
    socket.resume();
  };
  const { input, workers } = (await link.request({ name: 'input' })) as WorkerInput;
  const share: ClusterShare = {
    processes: workers,
    warnOnce: (line) => link.notify({ kind: 'warning', line }),
    mutex: {
      async runExclusive(name, signal, work, noteOf) {
        const lock = link.request({ name: 'turn', work: name });
        const note = await rejectOnAbort(lock, signal).catch((error: unknown) => {
          // Release the lock when it is acquired.
          lock.then(
            () => link.notify({ kind: 'done', work: name }),
            () => {},
          );
          throw error;
        });
        let newNote: number | undefined;
        try {
          if (signal.aborted) throw abortReason(signal);
          const result = await work(note as number | undefined);
          newNote = noteOf?.(result);
          return result;
        } finally {
          link.notify({ kind: 'done', work: name, note: newNote });
        }
      },
    },
    clients: {
      enter: async () => (await link.request({ name: 'enter' })) as boolean,
      leave: () => link.notify({ kind: 'left' }),
    },
    counts: async () => (await link.request({ name: 'counts' })) as ServerCounts,
  };
  return {
    input,
    share,
    async serve(own) {
      server = own;
      // The servers do not listen; Node enforces their time limits from this event on.
      for (const listener of [own.http, own.sockets]) listener.emit('listening');
      link.notify({ kind: 'ready' });
      await own.close(await ended);
    },
    fail: (error) => new Promise((sent) => link.notify({ kind: 'failed', error }, undefined, () => sent())),
  };
}
