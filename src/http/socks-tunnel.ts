import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { abortReason, TickhaulError } from '../base/errors.js';
import { startDeadline } from '../base/wait.js';
import { type ProxyServer, readProxyLogin } from './proxy-settings.js';

const CONNECT_TIMEOUT_MS = 15_000;
const DEFAULT_PORT = 1080;
const VERSION = 5;
const NO_LOGIN = 0;
const WITH_PASSWORD = 2;
const NO_METHOD = 0xff;
const PASSWORD_VERSION = 1;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** Replies of a proxy (RFC 1928, section 6). */
const REPLIES: readonly string[] = [
  '',
  'failed',
  'does not allow the connection',
  'has no route to the network',
  'has no route to the host',
  'says that the host refused the connection',
  'says that the connection took too long',
  'does not support connections',
  'does not support this kind of address',
];
/** Replies after which another address of the same host may succeed. */
const ADDRESS_REPLIES: ReadonlySet<number> = new Set([3, 4, 5, 6, 8]);

/** Where a tunnel leads. */
export interface TunnelTarget {
  /** Name or address; an IPv6 address with or without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * Connects through a SOCKS5 proxy (RFC 1928, RFC 1929). For `socks5:` this machine resolves the name; for `socks5h:` and
 * `socks:` the proxy does.
 * @param signal ends the attempt, also while it waits for the proxy.
 * @throws TickhaulError `unreachable` if the proxy refuses or is silent; Node's error if the proxy or the name cannot be
 * reached; the abort reason.
 */
export async function openSocksTunnel(
  proxy: ProxyServer,
  target: TunnelTarget,
  signal?: AbortSignal,
): Promise<Socket> {
  const deadline = startDeadline(CONNECT_TIMEOUT_MS, createRefusal(proxy, target, 'did not respond in time'));
  const anySignal = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
  try {
    return await connectTo(proxy, target, anySignal);
  } catch (error) {
    throw anySignal.aborted ? abortReason(anySignal) : error;
  } finally {
    deadline.clear();
  }
}

async function connectTo(proxy: ProxyServer, target: TunnelTarget, signal: AbortSignal): Promise<Socket> {
  const hostname = target.hostname.replace(/^\[(.*)\]$/, '$1');
  const resolvesHere = proxy.url.protocol === 'socks5:' && isIP(hostname) === 0;
  const hosts = resolvesHere
    ? (await lookup(hostname, { all: true })).map(({ address }) => address)
    : [hostname];
  for (const [index, host] of hosts.entries()) {
    const { socket, reply } = await requestTunnel(proxy, { hostname: host, port: target.port }, signal);
    if (socket) return socket;
    if (index === hosts.length - 1 || !ADDRESS_REPLIES.has(reply)) {
      throw createRefusal(proxy, target, REPLIES[reply] ?? `answered with the unknown code ${reply}`);
    }
  }
  throw createRefusal(proxy, target, 'got no address: the name has none');
}

type TunnelReply =
  | { readonly socket: Socket; readonly reply: 0 }
  | { readonly socket: undefined; readonly reply: number };

async function requestTunnel(
  proxy: ProxyServer,
  target: TunnelTarget,
  signal: AbortSignal,
): Promise<TunnelReply> {
  const { hostname, port } = proxy.url;
  const socket = connect({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || DEFAULT_PORT,
    noDelay: true,
    signal,
  });
  try {
    await once(socket, 'connect');
    const read = (bytes: number): Promise<Buffer> =>
      readExactly(socket, bytes, () => createRefusal(proxy, target));
    await authenticate(proxy, target, socket, read);
    socket.write(
      Buffer.concat([Buffer.of(VERSION, CONNECT, 0), encodeAddress(target), encodePort(target.port)]),
    );
    const [version, reply = 1, , kind] = await read(4);
    if (version !== VERSION) throw createRefusal(proxy, target, 'is no SOCKS5 proxy');
    if (reply !== 0) {
      socket.destroy();
      return { socket: undefined, reply };
    }
    // The address from which the proxy connects, which is not needed.
    const addressBytes = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await read(1))[0] ?? 0);
    await read(addressBytes + 2);
    return { socket, reply };
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

async function authenticate(
  proxy: ProxyServer,
  target: TunnelTarget,
  socket: Socket,
  read: (bytes: number) => Promise<Buffer>,
): Promise<void> {
  const login = readProxyLogin(proxy);
  const methods = login ? [NO_LOGIN, WITH_PASSWORD] : [NO_LOGIN];
  socket.write(Buffer.of(VERSION, methods.length, ...methods));
  const [version, method] = await read(2);
  if (version !== VERSION) throw createRefusal(proxy, target, 'is no SOCKS5 proxy');
  if (method === NO_LOGIN) return;
  if (method !== WITH_PASSWORD || !login) {
    const reason =
      method === NO_METHOD && !login ? 'requires a user and password' : 'accepts no kind of login';
    throw createRefusal(proxy, target, reason);
  }
  socket.write(
    Buffer.concat([Buffer.of(PASSWORD_VERSION), encodeText(login.user), encodeText(login.password)]),
  );
  const [, status] = await read(2);
  if (status !== 0) throw createRefusal(proxy, target, 'does not accept the user and password');
}

/** Reads bytes of the handshake and no more: later bytes belong to the tunnel. */
async function readExactly(socket: Socket, bytes: number, onEnd: () => TickhaulError): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for (;;) {
    // Read all: as long as bytes are left, a new listener for `readable` is called at once.
    const chunk = socket.read() as Buffer | null;
    if (chunk) received = Buffer.concat([received, chunk]);
    if (received.length > bytes) socket.unshift(received.subarray(bytes));
    if (received.length >= bytes) return received.subarray(0, bytes);
    if (socket.readableEnded || socket.destroyed) throw onEnd();
    const waiting = new AbortController();
    const events = ['readable', 'end', 'close'].map((event) =>
      once(socket, event, { signal: waiting.signal }),
    );
    await Promise.race(events).finally(() => waiting.abort());
  }
}

function encodeAddress({ hostname }: TunnelTarget): Buffer {
  switch (isIP(hostname)) {
    case 4:
      return Buffer.of(IPV4, ...hostname.split('.').map(Number));
    case 6:
      return Buffer.concat([Buffer.of(IPV6), encodeIpv6(hostname)]);
    default:
      return Buffer.concat([Buffer.of(NAME), encodeText(hostname)]);
  }
}

function encodeIpv6(address: string): Buffer {
  // A URL has the address in hexadecimal groups only, without a zone.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function encodePort(port: number): Buffer {
  return Buffer.of(port >> 8, port & 0xff);
}

/** The length in one byte, and the text, cut to the 255 bytes of the protocol. */
function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text).subarray(0, 255);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function createRefusal(
  { variable }: ProxyServer,
  { hostname }: TunnelTarget,
  reason = 'closed the connection',
): TickhaulError {
  const message = `${hostname} cannot be reached: the proxy ${reason}; check ${variable} and NO_PROXY`;
  return new TickhaulError('unreachable', message);
}
