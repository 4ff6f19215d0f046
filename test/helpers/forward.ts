import { Agent, get, type RequestListener } from 'node:http';
import { pipeline } from 'node:stream';

/** Forwards GET requests to another server, and returns its responses. */
export function forward(origin: string): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return ({ url, headers }, response) => {
    get(`${origin}${url}`, { headers, agent }, (found) => {
      response.writeHead(found.statusCode ?? 500, found.headers);
      // Either side may close the connection: a failed client, or the server at the end of the test.
      pipeline(found, response, () => {});
    }).on('error', () => response.destroy());
  };
}
