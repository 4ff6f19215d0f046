import type { OnRequest } from '../../http/told-request.js';

/** Heard by all threads of this process, and by no other process. */
const CHANNEL = 'tickhaul: requests to object stores';

/** One of those who tell of their requests, in whatever thread. */
export interface RequestTeller {
  readonly tell: OnRequest;
  close(): void;
}

/** Whoever hears (`hearRequests`) is told, and where nobody does, that is no harm. */
export function openTeller(): RequestTeller {
  const channel = new BroadcastChannel(CHANNEL);
  // It hears others of its kind, and that must not keep the thread.
  channel.unref();
  let isOpen = true;
  return {
    tell(line) {
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
export async function hearRequests<T>(onRequest: OnRequest | undefined, work: () => Promise<T>): Promise<T> {
  if (!onRequest) return work();
  const channel = new BroadcastChannel(CHANNEL);
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
    const last = new BroadcastChannel(CHANNEL);
    last.postMessage({ end });
    last.close();
    await heardAll;
    channel.close();
  }
}
