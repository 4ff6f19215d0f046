import type { Started } from '../../helpers/cli.js';

/** The ports that a started server prints. */
export async function portsOf(server: Started): Promise<{ http: number; ws: number }> {
  let text = '';
  server.child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await server.printed('WS port: ');
  const [, http, ws] = /^HTTP port: (\d+)\nWS port: (\d+)\n/.exec(text) ?? [];
  return { http: Number(http), ws: Number(ws) };
}
