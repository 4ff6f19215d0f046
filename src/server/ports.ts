/** The WebSocket port is the one after the HTTP port (`docs/spec/local-server.md#ports`). */
export function webSocketPort(httpPort: number): number {
  return httpPort + 1;
}

/** Highest HTTP port, since the WebSocket port is the next one. */
export const MAX_HTTP_PORT = 65_534;

/** The port of a URL, or the default port of its protocol. */
export function urlPort({ protocol, port }: Pick<URL, 'protocol' | 'port'>): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
