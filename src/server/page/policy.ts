import type { RenderedPage } from './html.js';

/** A host and its port, in names and numbers that a policy can have: not an IPv6 address. */
const HOST = /^([a-z\d.-]+)(?::(\d+))?$/i;

/**
 * The content security policy of the page: what stands in it, and its server's two ports.
 * @param host as the browser named the server, with the port; WebSocket is on the next one.
 */
export function policyOf({ scripts, styles }: Pick<RenderedPage, 'scripts' | 'styles'>, host = ''): string {
  const [, name, port = '80'] = HOST.exec(host) ?? [];
  const sockets = name === undefined ? '' : ` ws://${name}:${Number(port) + 1}`;
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    'img-src data:',
    `connect-src 'self'${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
