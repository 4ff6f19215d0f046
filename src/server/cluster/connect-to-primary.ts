import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { abortReason } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { rejectOnAbort } from '../../base/wait.js';
import type { ReplayServer } from '../replay-server.js';
import type { ClusterShare } from '../serve-options.js';
import type { ServerCounts } from '../server-metrics.js';
import { type LinkNotice, ProcessLink, type WorkerInput } from './process-link.js';

/** The primary process, as a worker knows it. */
export interface PrimaryLink {
  /** What it tells to serve. */
  readonly input: unknown;
  readonly share: ClusterShare;
  /** Answers the connections that it hands over, until it ends the worker. */
  serve(server: ReplayServer): Promise<void>;
  /** Reports why the worker ends, so that the cluster prints it once. Resolves when the report was sent. */
  fail(error: FileError): Promise<void>;
}

/** Meets the primary process of a cluster. @param worker this process. */
export async function connectToPrimary(worker: Worker): Promise<PrimaryLink> {
  let server: ReplayServer | undefined;
  let end = (_graceMs: number): void => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const link = new ProcessLink(worker, {
    async onRequest(question) {
      if (question.name === 'beat') return true;
      return server && { metrics: server.serving.metrics, memory: server.serving.options.memory() };
    },
    onNotice(notice, socket) {
      if (notice.kind === 'end') end(notice.graceMs);
      if (socket && 'head' in notice) void take(notice, socket);
    },
  });
  const take = async (
    { kind, connection, head }: Extract<LinkNotice, { head: string }>,
    socket: Socket,
  ): Promise<void> => {
    // While this process was stopped another may have got it.
    const isOurs = await link.ask({ name: 'claim', connection }).catch(() => false);
    if (!server || isOurs !== true) return void socket.destroy();
    if (head !== '') socket.unshift(Buffer.from(head, 'latin1'));
    (kind === 'http' ? server.http : server.sockets).emit('connection', socket);
    socket.resume();
  };
  const { input, workers } = (await link.ask({ name: 'input' })) as WorkerInput;
  const share: ClusterShare = {
    processes: workers,
    warnOnce: (line) => link.tell({ kind: 'warning', line }),
    mutex: {
      async runExclusive(name, signal, work, noteOf) {
        const asked = link.ask({ name: 'turn', work: name });
        const note = await rejectOnAbort(asked, signal).catch((error: unknown) => {
          // Its turn is the next one's when it comes.
          asked.then(
            () => link.tell({ kind: 'done', work: name }),
            () => {},
          );
          throw error;
        });
        let left: number | undefined;
        try {
          if (signal.aborted) throw abortReason(signal);
          const result = await work(note as number | undefined);
          left = noteOf?.(result);
          return result;
        } finally {
          link.tell({ kind: 'done', work: name, note: left });
        }
      },
    },
    clients: {
      enter: async () => (await link.ask({ name: 'enter' })) as boolean,
      leave: () => link.tell({ kind: 'left' }),
    },
    counts: async () => (await link.ask({ name: 'counts' })) as ServerCounts,
  };
  return {
    input,
    share,
    async serve(own) {
      server = own;
      // They listen nowhere, but bounds of what a client may hold begin with that.
      for (const one of [own.http, own.sockets]) one.emit('listening');
      link.tell({ kind: 'ready' });
      await own.close(await ended);
    },
    fail: (error) => new Promise((sent) => link.tell({ kind: 'failed', error }, undefined, () => sent())),
  };
}
