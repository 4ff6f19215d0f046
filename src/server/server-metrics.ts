/** What the server counts, since it began; the open ones as they are now. */
export interface ServerMetrics {
  readonly startedMs: number;
  openHttp: number;
  openSockets: number;
  messages: number;
  bytes: number;
  /** Slices that were read from the cache. */
  cacheHits: number;
  /** Requests that the service was sent. */
  upstreamRequests: number;
  /** Times that all requests to the service had to wait. */
  waits: number;
}

/** What a process holds, in bytes. */
export interface MemoryUsage {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** What can be told of a process, or of several. */
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

/** Of two processes as one, which began when the first of them did. */
export function sumCounts(one: ServerCounts, other: ServerCounts): ServerCounts {
  return {
    metrics: sumMetrics(one.metrics, other.metrics),
    memory: sumNumbers(one.memory, other.memory),
  };
}

export function sumMetrics(one: ServerMetrics, other: ServerMetrics): ServerMetrics {
  return { ...sumNumbers(one, other), startedMs: Math.min(one.startedMs, other.startedMs) };
}

function sumNumbers<T extends { readonly [Name in keyof T]: number }>(one: T, other: T): T {
  const names = Object.keys(one) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as T;
}

/** In the text form of Prometheus. */
export function formatMetrics(metrics: ServerMetrics, nowMs = Date.now()): string {
  const rows: readonly (readonly [string, 'gauge' | 'counter', string, number])[] = [
    ['uptime_seconds', 'gauge', 'Since the start.', (nowMs - metrics.startedMs) / 1000],
    ['http_answers_open', 'gauge', 'HTTP answers under way.', metrics.openHttp],
    ['sockets_open', 'gauge', 'WebSocket connections.', metrics.openSockets],
    ['messages_total', 'counter', 'Messages sent to clients.', metrics.messages],
    ['bytes_total', 'counter', 'Bytes of messages sent to clients.', metrics.bytes],
    ['cache_hits_total', 'counter', 'Slices of raw data read from the cache.', metrics.cacheHits],
    ['upstream_requests_total', 'counter', 'Requests sent to the service.', metrics.upstreamRequests],
    ['upstream_waits_total', 'counter', 'Times the service asked to wait.', metrics.waits],
  ];
  return rows
    .map(([name, type, help, value]) => {
      const full = `tickhaul_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value}\n`;
    })
    .join('');
}
