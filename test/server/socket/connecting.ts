import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Served } from '../serving.js';

/** All messages of a closed connection, with its close code. */
export interface Heard {
  readonly messages: readonly string[];
  readonly code: number;
  readonly reason: string;
}

/** A client's connection; `heard` resolves when it is closed. */
export interface Connected {
  readonly socket: WebSocket;
  readonly heard: Promise<Heard>;
}

/** Waits for an event of an open connection; rejects if the connection closes first. */
export function whileOpen<T>({ heard }: Connected, coming: Promise<T>): Promise<T> {
  const closed = heard.then(({ code, reason }): never => {
    throw new Error(`closed: ${code} ${reason}`);
  });
  return Promise.race([coming, closed]);
}

/** Connects and sends messages. @param onMessage called for each received message. */
export function connectTo(
  { wsPort }: Pick<Served, 'wsPort'>,
  path: string,
  sent: readonly string[] = [],
  onMessage: (text: string) => void = () => {},
): Connected {
  const socket = new WebSocket(`ws://127.0.0.1:${wsPort}${path}`, { perMessageDeflate: false });
  const messages: string[] = [];
  socket.on('message', (data, isBinary) => {
    if (isBinary) throw new Error('a binary frame');
    messages.push(String(data));
    onMessage(String(data));
  });
  socket.on('open', () => {
    for (const text of sent) socket.send(text);
  });
  const heard = (async () => {
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    return { messages, code, reason: String(reason) };
  })();
  return { socket, heard };
}

/** Connects, sends messages and collects everything until the connection is closed. */
export function hear(
  server: Pick<Served, 'wsPort'>,
  path: string,
  sent: readonly string[] = [],
): Promise<Heard> {
  return connectTo(server, path, sent).heard;
}
