import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Served } from '../serving.js';

export interface Heard {
  readonly messages: readonly string[];
  readonly code: number;
  readonly reason: string;
}

/** A client's connection; `heard` is there when it is closed. */
export interface Connected {
  readonly socket: WebSocket;
  readonly heard: Promise<Heard>;
}

/** Connects, and sends some messages. @param onMessage told of each as it comes. */
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

/** All that a connection is sent, until it is closed. */
export function hear(server: Served, path: string, sent: readonly string[] = []): Promise<Heard> {
  return connectTo(server, path, sent).heard;
}
