import type { ServerCounts } from '../server-metrics.js';

const MB = 1024 * 1024;
const MS_PER_HOUR = 3_600_000;

/** Response of `GET /health-check`, in the form of the vendor's server (`docs/spec/local-server.md#health-check`). */
export function createHealthReport({ metrics, memory }: ServerCounts, nowMs = Date.now()): object {
  const { rss, heapTotal, heapUsed, external } = memory;
  return {
    status: 'Healthy',
    uptimeHours: (nowMs - metrics.startedMs) / MS_PER_HOUR,
    timestampMs: nowMs,
    memoryInfo: {
      rssMB: rss / MB,
      heapTotalMB: heapTotal / MB,
      heapUsedMB: heapUsed / MB,
      externalMB: external / MB,
    },
  };
}
