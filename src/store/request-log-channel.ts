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

/**
 * Runs `work` and meanwhile receives log lines of all requests to object stores in this process whose
 * settings enable them (`logsRequests`), from any thread. Returns, or throws, only after all lines have been
 * received.
 */
export async function withRequestLog<T>(
  onRequest: RequestLog | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!onRequest) return work();
  const channel = new BroadcastChannel(LOG_CHANNEL);
  channel.unref();
  // The end message has an id, since several receivers may be open.
  const endId = crypto.randomUUID();
  const receivedAll = new Promise<void>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data === 'string') onRequest(data);
      else if (data.end === endId) resolve();
    };
  });
  try {
    return await work();
  } finally {
    // Messages arrive in order, so after this one all lines have been received.
    channel.ref();
    const sender = new BroadcastChannel(LOG_CHANNEL);
    sender.postMessage({ end: endId });
    sender.close();
    await receivedAll;
    channel.close();
  }
}
