import { wait } from '../../base/wait.js';
import { parseRetryAfter } from '../../service/http/retry-after.js';
import type { HttpHeaders } from '../../service/http/send-request.js';

/** Milliseconds beyond the time that the service names, since its clock isn't ours. */
const CLOCK_MARGIN_MS = 50;
/** The service counts by minutes. */
const MINUTE_MS = 60_000;
const POLL_MS = 500;
/** Ends of a minute that differ by less are one. */
const SAME_WINDOW_MS = 2000;

/**
 * How many requests the service still takes, by its own headers (service interface, Limits), so that it never has to
 * refuse one. Others may use the same account, so the latest answers count.
 */
export interface RequestQuota {
  /** Resolves when a request may be sent, and counts it. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Told of each answer's headers. */
  onHeaders(headers: HttpHeaders): void;
  /** The request has its answer, or will have none. */
  onRequestEnd(): void;
}

/** @param now milliseconds of a clock that never goes back. */
export function createRequestQuota(now = (): number => performance.now()): RequestQuota {
  /** Requests that may be sent until `resetAt`, and those that a whole minute bears. */
  let left = Number.POSITIVE_INFINITY;
  let resetAt = Number.NEGATIVE_INFINITY;
  let limit = Number.POSITIVE_INFINITY;
  /** Whether `resetAt` is not the service's word. */
  let isGuess = true;
  let unanswered = 0;
  return {
    async acquire(signal) {
      for (;;) {
        if (now() >= resetAt) {
          left = limit;
          resetAt = now() + MINUTE_MS;
          isGuess = true;
        }
        if (left > 0) break;
        // An answer may bring the end nearer.
        await wait(Math.min(resetAt - now(), POLL_MS), signal);
      }
      left--;
      unanswered++;
    },
    onHeaders(headers) {
      const remaining = count(headers['x-ratelimit-remaining']);
      const resetMs = parseRetryAfter(headers['x-ratelimit-reset-after'], now());
      if (remaining === undefined || resetMs === undefined || resetMs > 2 * MINUTE_MS) return;
      limit = count(headers['x-ratelimit-limit']) ?? limit;
      // Those that are on their way may not be in the service's count yet.
      const free = remaining - (unanswered - 1);
      const end = now() + resetMs + CLOCK_MARGIN_MS;
      // Answers come in any order, and the time is in whole seconds.
      const isOlder = !isGuess && end < resetAt - SAME_WINDOW_MS;
      if (isOlder) return;
      left = !isGuess && end > resetAt + SAME_WINDOW_MS ? free : Math.min(left, free);
      resetAt = end;
      isGuess = false;
    },
    onRequestEnd() {
      unanswered--;
    },
  };
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
