import { usageError } from '../base/errors.js';

type Env = Readonly<Record<string, string | undefined>>;

/** A variable under its lower-case name, which takes precedence as in curl, or its upper-case name. */
function readProxyVariable(env: Env, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

/**
 * The proxy URL in a variable, or an empty text. Errors never contain the value, which may include a
 * password.
 * @throws usage error if it is not a URL.
 */
export function readProxyUrl(env: Env, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const value = readProxyVariable(env, name)?.trim();
  if (!value) return '';
  const url = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^(https?|socks5?):$/.test(new URL(url).protocol)) {
    throw usageError(`${name} is not a proxy's URL; use the form http://host:port`);
  }
  return url;
}

/** Proxies configured in the environment. */
export interface ProxySettings {
  /** URL, or an empty text for none. */
  readonly http: string;
  readonly https: string;
  /** Hosts to connect to without a proxy. */
  readonly noProxy: string;
}

/** @throws usage error if a value is not a URL. */
export function readProxySettings(env: Env): ProxySettings {
  return {
    http: readProxyUrl(env, 'HTTP_PROXY'),
    https: readProxyUrl(env, 'HTTPS_PROXY'),
    noProxy: readProxyVariable(env, 'NO_PROXY') ?? '',
  };
}

/**
 * Whether NO_PROXY lists an address: a host and its subdomains, with or without a port, or `*`. Same rules as
 * undici.
 */
export function bypassesProxy(env: Env, { hostname, port }: { hostname: string; port: number }): boolean {
  const text = readProxyVariable(env, 'NO_PROXY')?.trim() ?? '';
  if (text === '*') return true;
  const entries = text.split(/[,\s]/).filter((entry) => entry !== '');
  return entries.some((entry) => {
    const [, host = entry, onlyPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
    if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
    const name = host.replace(/^\*?\./, '').toLowerCase();
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}
