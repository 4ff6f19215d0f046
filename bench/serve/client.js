// Clients of a server, in a separate process, that only count: node client.js <JSON of the requests> <file for results>
// They parse sockets themselves, so that they use little of the processors that they share with the server.
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { Answer } from './answer.js';
import { Frames } from './frames.js';

const [asked, target] = process.argv.slice(2);
const { port, isSocket, requests, isFirstOnly } = JSON.parse(asked);

const began = performance.now();
const found = await Promise.all(requests.map(ask));
const wall = (performance.now() - began) / 1000;
const sum = (name) => found.reduce((total, one) => total + one[name], 0);
await writeFile(
  target,
  JSON.stringify({
    wall,
    messages: sum('messages'),
    bytes: sum('bytes'),
    first: Math.max(...found.map(({ first }) => first)),
  }),
);

/** @returns the number of messages and bytes, and the seconds to the first. @throws for an incomplete response. */
function ask({ path, subscribe }) {
  return new Promise((resolve, reject) => {
    const connection = connect({ host: '127.0.0.1', port, noDelay: true });
    const reader = isSocket ? new Frames() : new Answer();
    const start = performance.now();
    let bytes = 0;
    let first;
    const done = () => {
      connection.destroy();
      resolve({ messages: reader.messages, bytes, first });
    };
    connection.write(isSocket ? upgrade(path) : `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    if (subscribe) connection.write(masked(JSON.stringify(subscribe)));
    connection.on('data', (chunk) => {
      bytes += chunk.length;
      try {
        reader.take(chunk);
      } catch (error) {
        connection.destroy();
        return reject(error);
      }
      if (reader.messages > 0) first ??= (performance.now() - start) / 1000;
      if (reader.isWhole || (isFirstOnly && first !== undefined)) done();
    });
    connection.on('error', reject);
    connection.on('close', () => reject(new Error(`${path}: cut off behind ${reader.messages} messages`)));
  });
}

function upgrade(path) {
  return [
    `GET ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n');
}

/** A short text as a client's frame, with a zero mask. */
function masked(text) {
  const body = Buffer.from(text);
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
