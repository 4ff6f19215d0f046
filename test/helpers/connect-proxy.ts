import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from '../service/loopback.js';

export interface ConnectProxy {
  readonly url: string;
  /** Each `CONNECT host:port`, with the credentials. */
  readonly asked: readonly string[];
}

/** A proxy on loopback that opens tunnels, or refuses them with a status. */
export async function connectProxy(t: TestContext, refuse?: number): Promise<ConnectProxy> {
  const asked: string[] = [];
  const server = createServer((_, response) => response.writeHead(405).end());
  makeTunnels(server, asked, refuse);
  return { url: await listen(t, server), asked };
}

/** Makes a server open tunnels, or refuse them with a status. @param asked receives each request. */
export function makeTunnels(server: Server, asked: string[], refuse?: number): void {
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    // The client may reset the connection, also one that was refused.
    socket.on('error', () => socket.destroy());
    if (refuse !== undefined) return socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
    const [host, port] = String(request.url).split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    return socket.on('close', () => onward.destroy());
  });
}
