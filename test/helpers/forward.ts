import { Agent, get, type RequestListener } from 'node:http';
import { pipeline } from 'node:stream';

/** Passes GET requests on to another server, and its answers back. */
export function forward(origin: string): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return ({ url, headers }, response) => {
    get(`${origin}${url}`, { headers, agent }, (found) => {
      response.writeHead(found.statusCode ?? 500, found.headers);
      // Either side may end it: a client that failed, or the server at the test's end.
      pipeline(found, response, () => {});
    }).on('error', () => response.destroy());
  };
}
