import { urlPort, webSocketPort } from '../endpoints.js';
import type { RenderedServerPage } from './render-server-page.js';

/** Host names and IPv4 addresses; a policy cannot contain IPv6 addresses. */
const HOST = /^[a-z\d.-]+$/;

/**
 * Creates the content security policy of the page: its own scripts and styles, and its server's two ports.
 * @param host Host header with the HTTP port; WebSocket uses the next port.
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
