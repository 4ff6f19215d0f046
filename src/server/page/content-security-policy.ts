import { urlPort, webSocketPort } from '../ports.js';
import type { RenderedServerPage } from './render-server-page.js';

/** A host, in names and numbers that a policy can have: not an IPv6 address. */
const HOST = /^[a-z\d.-]+$/;

/**
 * The content security policy of the page: what stands in it, and its server's two ports.
 * @param host as the browser named the server, with the port; WebSocket is on the next one.
 */
export function createContentSecurityPolicy(
  { scripts, styles }: Pick<RenderedServerPage, 'scripts' | 'styles'>,
  host = '',
): string {
  const page = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const sockets =
    page && HOST.test(page.hostname) ? ` ws://${page.hostname}:${webSocketPort(urlPort(page))}` : '';
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
