import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.js';

export interface SocksProxy {
  readonly url: string;
  /** Each requested target, as sent: `name localhost:80`, `ipv4 127.0.0.1:80` or `ipv6 …`; logins as `login user:password`. */
  readonly asked: readonly string[];
}

export interface SocksOptions {
  /** The only accepted user and password; without it, no login is required. */
  readonly login?: string;
  /** Reply to each request instead of a connection. */
  readonly reply?: (target: string) => number;
  /** Leads all tunnels to this port of 127.0.0.1. */
  readonly port?: number;
}

/** A SOCKS5 proxy on loopback (RFC 1928, RFC 1929), written for tests after the RFCs. */
export async function socksProxy(t: TestContext, options: SocksOptions = {}): Promise<SocksProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    void handle(socket, options, asked).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `socks5h://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function handle(socket: Socket, { login, reply, port }: SocksOptions, asked: string[]): Promise<void> {
  const [, count = 0] = await read(socket, 2);
  const methods = [...(await read(socket, count))];
  const method = login === undefined ? 0 : methods.includes(2) ? 2 : 255;
  socket.write(Buffer.of(5, method));
  if (method === 255) return void socket.end();
  if (method === 2) {
    const [, userBytes = 0] = await read(socket, 2);
    const user = String(await read(socket, userBytes));
    const [passwordBytes = 0] = await read(socket, 1);
    const given = `${user}:${String(await read(socket, passwordBytes))}`;
    asked.push(`login ${given}`);
    socket.write(Buffer.of(1, given === login ? 0 : 1));
    if (given !== login) return void socket.end();
  }
  const [, , , kind] = await read(socket, 4);
  const [type, host] = await readAddress(socket, kind);
  const target = `${type} ${host}:${(await read(socket, 2)).readUInt16BE()}`;
  asked.push(target);
  const code = reply?.(target) ?? 0;
  if (code !== 0) return void socket.end(Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0));
  const onward = connect(port ?? Number(target.replace(/.*:/, '')), '127.0.0.1');
  onward.on('error', () => socket.destroy());
  await once(onward, 'connect');
  // A name as the bound address: clients must read any kind.
  socket.write(Buffer.concat([Buffer.of(5, 0, 0, 3, 5), Buffer.from('bound'), Buffer.of(0, 0)]));
  socket.pipe(onward).pipe(socket);
}

async function readAddress(socket: Socket, kind: number | undefined): Promise<readonly [string, string]> {
  if (kind === 1) return ['ipv4', [...(await read(socket, 4))].join('.')];
  if (kind === 4) return ['ipv6', (await read(socket, 16)).toString('hex').replace(/(.{4})(?!$)/g, '$1:')];
  return ['name', String(await read(socket, (await read(socket, 1))[0] ?? 0))];
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (received.length < bytes) {
    const chunk = socket.read() as Buffer | null;
    if (chunk) received = Buffer.concat([received, chunk]);
    else await once(socket, 'readable');
  }
  if (received.length > bytes) socket.unshift(received.subarray(bytes));
  return received.subarray(0, bytes);
}
