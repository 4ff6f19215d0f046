import { usageError } from '../base/errors.js';
import { type NoProxyRules, parseNoProxy } from './no-proxy.js';

type Env = Readonly<Record<string, string | undefined>>;

/** A proxy of the environment. */
export interface ProxyServer {
  /** The variable that names it, as it is spelled there. */
  readonly variable: string;
  /** May contain a password, so errors never show it. */
  readonly url: URL;
}

/** Proxies that the environment sets (docs/reference/configuration.md#proxies). */
export interface ProxySettings {
  /** For `http:` and `ws:`. */
  readonly http: ProxyServer | undefined;
  /** For `https:` and `wss:`. */
  readonly https: ProxyServer | undefined;
  /** Hosts to connect to without a proxy. */
  readonly noProxy: NoProxyRules;
}

/** Variables with proxies, and with hosts that need none, in both spellings. */
export const PROXY_VARIABLES: readonly string[] = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
].flatMap((name) => [name, name.toLowerCase()]);

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** A variable under its lower-case name, which takes precedence as in curl, or its upper-case name. */
function readProxyVariable(env: Env, name: string): { name: string; value: string } | undefined {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim();
    if (value) return { name: spelling, value };
  }
  return undefined;
}

/** @throws usage error, without the value, which may contain a password. */
function readProxy(env: Env, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): ProxyServer | undefined {
  const found = readProxyVariable(env, name) ?? readProxyVariable(env, 'ALL_PROXY');
  if (!found) return undefined;
  const { name: variable, value } = found;
  const text = value.includes('://') ? value : `http://${value}`;
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0].toLowerCase() ?? '';
  const isUrl = URL.canParse(text) && new URL(text).hostname !== '';
  if (isUrl && SCHEMES.has(scheme)) return { variable, url: new URL(text) };
  if (isUrl && /^[a-z\d]+:$/.test(scheme)) {
    throw usageError(
      `${variable}: ${scheme}// proxies are not supported; use http://, https://, socks5:// or socks5h://`,
    );
  }
  throw usageError(`${variable} is not a proxy's URL; use the form http://host:port`);
}

/** @throws usage error for a value that is not a URL, or a kind of proxy that is not supported. */
export function readProxySettings(env: Env): ProxySettings {
  return {
    http: readProxy(env, 'HTTP_PROXY'),
    https: readProxy(env, 'HTTPS_PROXY'),
    noProxy: parseNoProxy(readProxyVariable(env, 'NO_PROXY')?.value ?? ''),
  };
}

/** The proxy for an address; undefined to connect directly. */
export function findProxy({ http, https, noProxy }: ProxySettings, url: URL): ProxyServer | undefined {
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const proxy = isSecure ? https : http;
  if (proxy === undefined) return undefined;
  const port = Number(url.port) || (isSecure ? 443 : 80);
  return noProxy.matches(url.hostname, port) ? undefined : proxy;
}

/** A warning if NO_PROXY has entries without effect. Without a proxy they do not matter. */
export function describeIgnoredEntries(env: Env): string | undefined {
  const { http, https, noProxy } = readProxySettings(env);
  const [entry] = noProxy.ignored;
  if (entry === undefined || (!http && !https)) return undefined;
  const more = noProxy.ignored.length > 1 ? ` and ${noProxy.ignored.length - 1} more` : '';
  const name = readProxyVariable(env, 'NO_PROXY')?.name;
  return `${name}: ignoring "${entry}"${more}: no name, address or network; use forms such as .example.com, 10.0.0.0/8 or [::1]:8080`;
}

/** User and password of a proxy; undefined if it has none. */
export function readProxyLogin({ url }: ProxyServer): { user: string; password: string } | undefined {
  const { username, password } = url;
  if (username === '' && password === '') return undefined;
  return { user: decodePercent(username), password: decodePercent(password) };
}

/** The same as the header `Proxy-Authorization` (RFC 7617). */
export function createProxyAuthorization(proxy: ProxyServer): string | undefined {
  const login = readProxyLogin(proxy);
  if (login === undefined) return undefined;
  return `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
}

/** Decodes as curl does: a percent sign without two digits is itself. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  );
}
