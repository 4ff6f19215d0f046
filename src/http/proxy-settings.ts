import { usageError } from '../base/errors.js';

type Env = Readonly<Record<string, string | undefined>>;

/** A variable under its lower-case name, which goes first as in curl, or its upper-case one. */
export function readProxyVariable(env: Env, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

/**
 * The URL of the proxy that a variable names, or the empty text. Its value may hold a password and is never repeated.
 * @throws usage error where it is no URL.
 */
export function readProxyUrl(env: Env, name: 'HTTP_PROXY' | 'HTTPS_PROXY'): string {
  const value = readProxyVariable(env, name)?.trim();
  if (!value) return '';
  const url = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(url) || !/^(https?|socks5?):$/.test(new URL(url).protocol)) {
    throw usageError(`${name} is not a proxy's URL: write it as http://host:port`);
  }
  return url;
}

/** Which proxies an environment names. */
export interface ProxySettings {
  /** URLs; the empty text for none. */
  readonly http: string;
  readonly https: string;
  /** What NO_PROXY excepts. */
  readonly noProxy: string;
}

/** @throws usage error for one that is no URL. */
export function readProxySettings(env: Env): ProxySettings {
  return {
    http: readProxyUrl(env, 'HTTP_PROXY'),
    https: readProxyUrl(env, 'HTTPS_PROXY'),
    noProxy: readProxyVariable(env, 'NO_PROXY') ?? '',
  };
}

/** Whether NO_PROXY excepts an address: a host and those below it, with or without a port, or `*`; as undici reads it. */
export function bypassesProxy(env: Env, { hostname, port }: { hostname: string; port: number }): boolean {
  const text = readProxyVariable(env, 'NO_PROXY')?.trim() ?? '';
  if (text === '*') return true;
  const entries = text.split(/[,\s]/).filter((entry) => entry !== '');
  return entries.some((entry) => {
    const [, host = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? [];
    if (only !== undefined && Number(only) !== port) return false;
    const name = host.replace(/^\*?\./, '').toLowerCase();
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}
