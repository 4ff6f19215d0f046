import { wait } from '../../base/wait.js';
import { parseRetryAfter } from '../../http/failed-response.js';
import type { HttpHeaders } from '../../service/send-request.js';

/** Added to the reset time of the service, whose clock may differ. */
const CLOCK_MARGIN_MS = 50;
/** The service counts requests for each minute. */
const MINUTE_MS = 60_000;
const POLL_MS = 500;
/** Reset times that differ by less belong to the same window. */
const SAME_WINDOW_MS = 2000;

/**
 * Tracks the remaining requests by the service's headers (docs/spec/raw-feeds-api.md#request-rate), so that
 * the limit is never exceeded. Other clients may use the same account, so the latest response counts.
 */
export interface RequestQuota {
  /** Waits until a request is allowed, and counts it. */
  acquire(signal: AbortSignal): Promise<void>;
  /** To be called with the headers of each response. */
  onHeaders(headers: HttpHeaders): void;
  /** To be called when a request has its response, or has failed. */
  onRequestEnd(): void;
}

/** @param now monotonic clock in milliseconds. */
export function createRequestQuota(now = (): number => performance.now()): RequestQuota {
  /** Requests left until `resetAt`, and below the limit of a whole minute. */
  let remaining = Number.POSITIVE_INFINITY;
  let resetAt = Number.NEGATIVE_INFINITY;
  let limit = Number.POSITIVE_INFINITY;
  /** Whether `resetAt` is an estimate and not from a header. */
  let isEstimate = true;
  let inFlight = 0;
  return {
    async acquire(signal) {
      for (;;) {
        if (now() >= resetAt) {
          remaining = limit;
          resetAt = now() + MINUTE_MS;
          isEstimate = true;
        }
        if (remaining > 0) break;
        // A response may announce an earlier reset.
        await wait(Math.min(resetAt - now(), POLL_MS), signal);
      }
      remaining--;
      inFlight++;
    },
    onHeaders(headers) {
      const announced = parseCount(headers['x-ratelimit-remaining']);
      const resetMs = parseRetryAfter(headers['x-ratelimit-reset-after'], Date.now());
      if (announced === undefined || resetMs === undefined || resetMs > 2 * MINUTE_MS) return;
      limit = parseCount(headers['x-ratelimit-limit']) ?? limit;
      // Requests in flight may not be in the service's count yet.
      const free = announced - (inFlight - 1);
      const end = now() + resetMs + CLOCK_MARGIN_MS;
      // Responses may arrive in any order, and the time is in whole seconds.
      const isOlder = !isEstimate && end < resetAt - SAME_WINDOW_MS;
      if (isOlder) return;
      remaining = !isEstimate && end > resetAt + SAME_WINDOW_MS ? free : Math.min(remaining, free);
      resetAt = end;
      isEstimate = false;
    },
    onRequestEnd() {
      inFlight--;
    },
  };
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
