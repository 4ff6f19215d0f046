/** WebSocket is on the port above that of HTTP (service interface, Local server configuration). */
export function webSocketPort(httpPort: number): number {
  return httpPort + 1;
}

/** The highest port that has one above it. */
export const MAX_HTTP_PORT = 65_534;

/** The port of an address; left out, it is the usual one. */
export function urlPort({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
