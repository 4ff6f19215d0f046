import type { RequestLog } from '../http/send-http-request.js';

/** Reaches all threads of this process, but no other process. */
const LOG_CHANNEL = 'tickhaul: requests to object stores';

/** Sends log lines from any thread. */
export interface RequestLogSender {
  readonly send: RequestLog;
  close(): void;
}

/** Opens a sender to all receivers (`withRequestLog`). Without a receiver, lines are discarded. */
export function openRequestLogSender(): RequestLogSender {
  const channel = new BroadcastChannel(LOG_CHANNEL);
  // The channel also receives messages, which must not keep the thread alive.
  channel.unref();
  let isOpen = true;
  return {
    send(line) {
      // Requests in flight may still fail after the sender is closed.
      if (isOpen) channel.postMessage(line);
    },
    close() {
      isOpen = false;
      channel.close();
    },
  };
}

/** Receives log lines from any thread until it is closed. */
export interface RequestLogReceiver {
  /** Resolves when all lines sent until now have been received. */
  flush(): Promise<void>;
  /** Flushes, and ends the receiver. */
  close(): Promise<void>;
}

/** Receives log lines of all requests to object stores in this process whose settings enable them (`logsRequests`). */
export function openRequestLog(onRequest: RequestLog): RequestLogReceiver {
  const channel = new BroadcastChannel(LOG_CHANNEL);
  channel.unref();
  const onReceived = new Map<string, () => void>();
  channel.onmessage = ({ data }) => {
    if (typeof data === 'string') onRequest(data);
    else onReceived.get(data.mark)?.();
  };
  // Messages arrive in order, so after a mark all lines have been received.
  const flush = async (): Promise<void> => {
    // Several receivers may be open.
    const mark = crypto.randomUUID();
    const received = new Promise<void>((resolve) => onReceived.set(mark, resolve));
    channel.ref();
    const sender = new BroadcastChannel(LOG_CHANNEL);
    sender.postMessage({ mark });
    sender.close();
    await received;
    onReceived.delete(mark);
    channel.unref();
  };
  return {
    flush,
    async close() {
      await flush();
      channel.close();
    },
  };
}

/** Runs `work` with a receiver. Returns, or throws, only after all lines have been received. */
export async function withRequestLog<T>(
  onRequest: RequestLog | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!onRequest) return work();
  const log = openRequestLog(onRequest);
  try {
    return await work();
  } finally {
    await log.close();
  }
}
