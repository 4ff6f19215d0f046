import type { RequestLog } from '../../http/request-log.js';

/** Heard by all threads of this process, and by no other process. */
const LOG_CHANNEL = 'tickhaul: requests to object stores';

/** One of those who tell of their requests, in whatever thread. */
export interface RequestLogSender {
  readonly send: RequestLog;
  close(): void;
}

/** Whoever hears (`withRequestLog`) is told, and where nobody does, that is no harm. */
export function openRequestLogSender(): RequestLogSender {
  const channel = new BroadcastChannel(LOG_CHANNEL);
  // It hears others of its kind, and that must not keep the thread.
  channel.unref();
  let isOpen = true;
  return {
    send(line) {
      // What is under way at the end fails after it.
      if (isOpen) channel.postMessage(line);
    },
    close() {
      isOpen = false;
      channel.close();
    },
  };
}

/**
 * Does some work, and hears meanwhile of all requests to object stores that this process makes by settings that say so
 * (`tellsRequests`), in any of its threads. When it resolves or rejects, all of them were heard.
 */
export async function withRequestLog<T>(
  onRequest: RequestLog | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!onRequest) return work();
  const channel = new BroadcastChannel(LOG_CHANNEL);
  channel.unref();
  // Others may hear as well, and end before.
  const end = crypto.randomUUID();
  const heardAll = new Promise<void>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data === 'string') onRequest(data);
      else if (data.end === end) resolve();
    };
  });
  try {
    return await work();
  } finally {
    // What was told before comes before.
    channel.ref();
    const last = new BroadcastChannel(LOG_CHANNEL);
    last.postMessage({ end });
    last.close();
    await heardAll;
    channel.close();
  }
}
