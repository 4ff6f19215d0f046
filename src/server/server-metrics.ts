/** Counters of a server since its start; `openHttp` and `openSockets` are current numbers. */
export interface ServerMetrics {
  readonly startedMs: number;
  openHttp: number;
  openSockets: number;
  messages: number;
  bytes: number;
  /** Slices read from the cache. */
  cacheHits: number;
  /** Requests sent to the service. */
  upstreamRequests: number;
  /** How often all requests to the service had to wait. */
  waits: number;
}

/** Memory of a process in bytes. */
export interface MemoryUsage {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Counters and memory of one process, or sums of several. */
export interface ServerCounts {
  readonly metrics: ServerMetrics;
  readonly memory: MemoryUsage;
}

export function createMetrics(): ServerMetrics {
  return {
    startedMs: Date.now(),
    openHttp: 0,
    openSockets: 0,
    messages: 0,
    bytes: 0,
    cacheHits: 0,
    upstreamRequests: 0,
    waits: 0,
  };
}

/** Adds the counts of two processes; the start is the earlier one. */
export function sumCounts(first: ServerCounts, second: ServerCounts): ServerCounts {
  return {
    metrics: sumMetrics(first.metrics, second.metrics),
    memory: sumNumbers(first.memory, second.memory),
  };
}

export function sumMetrics(first: ServerMetrics, second: ServerMetrics): ServerMetrics {
  return { ...sumNumbers(first, second), startedMs: Math.min(first.startedMs, second.startedMs) };
}

function sumNumbers<T extends { readonly [Name in keyof T]: number }>(first: T, second: T): T {
  const names = Object.keys(first) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, first[name] + second[name]])) as T;
}

/** Formats metrics in the Prometheus text format (`docs/spec/local-server.md#metrics`). */
export function formatMetrics(metrics: ServerMetrics, nowMs = Date.now()): string {
  const rows: readonly (readonly [string, 'gauge' | 'counter', string, number])[] = [
    ['uptime_seconds', 'gauge', 'Since the start.', (nowMs - metrics.startedMs) / 1000],
    ['http_answers_open', 'gauge', 'HTTP responses in flight.', metrics.openHttp],
    ['sockets_open', 'gauge', 'WebSocket connections.', metrics.openSockets],
    ['messages_total', 'counter', 'Messages sent to clients.', metrics.messages],
    ['bytes_total', 'counter', 'Bytes of messages sent to clients.', metrics.bytes],
    ['cache_hits_total', 'counter', 'Slices of raw data read from the cache.', metrics.cacheHits],
    ['upstream_requests_total', 'counter', 'Requests sent to the service.', metrics.upstreamRequests],
    ['upstream_waits_total', 'counter', 'Times the service asked to wait.', metrics.waits],
  ];
  return rows
    .map(([name, type, help, value]) => {
      const metricName = `tickhaul_${name}`;
      return `# HELP ${metricName} ${help}\n# TYPE ${metricName} ${type}\n${metricName} ${value}\n`;
    })
    .join('');
}

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
