/** State of the request limit after a request (`docs/spec/raw-feeds-api.md#request-rate`). */
export interface RequestLimitState {
  readonly isOver: boolean;
  readonly headers: Readonly<Record<string, number>>;
  readonly resetSeconds: number;
}

/** Counts requests per fixed time window. @returns a function to call for each request. */
export function createRequestLimit(limit: number, windowSeconds: number): () => RequestLimitState {
  const windowMs = windowSeconds * 1000;
  let window = -1;
  let count = 0;
  return () => {
    const now = Date.now();
    const current = Math.floor(now / windowMs);
    if (current !== window) count = 0;
    window = current;
    count++;
    const resetSeconds = Math.max(1, Math.ceil(((current + 1) * windowMs - now) / 1000));
    const headers = {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': Math.max(0, limit - count),
      'x-ratelimit-reset-after': resetSeconds,
    };
    return { isOver: count > limit, headers, resetSeconds };
  };
}
