import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { usageError } from '../base/errors.js';
import { sanitizeForTerminal } from '../base/text.js';

export type Env = Readonly<Record<string, string | undefined>>;

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

/** Hosts that are reached without a proxy. */
export interface NoProxyRules {
  /** @param hostname of a URL: lower case, an IPv6 address in brackets. */
  matches(hostname: string, port: number): boolean;
  /** Entries that are no name, address or network, for a warning. */
  readonly ignored: readonly string[];
}

interface Rule {
  readonly port: number | undefined;
  matches(hostname: string): boolean;
}

/**
 * Parses NO_PROXY as curl reads it (docs/reference/configuration.md#proxies): entries are separated by commas or blanks,
 * and are names with their subdomains, addresses, networks or `*`, each with or without a port.
 */
export function parseNoProxy(text: string): NoProxyRules {
  const rules: Rule[] = [];
  const ignored: string[] = [];
  for (const entry of text.split(/[,\s]+/).filter(Boolean)) {
    const rule = parseEntry(entry);
    if (rule) rules.push(rule);
    // An entry may be a URL with a password.
    else ignored.push(sanitizeForTerminal(entry.replace(/\/\/.*@/, '//…@').slice(0, 80)));
  }
  return {
    ignored,
    matches(hostname, port) {
      const name = hostname
        .toLowerCase()
        .replace(/^\[(.*)\]$/, '$1')
        .replace(/\.$/, '');
      return rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.matches(name));
    },
  };
}

/** `[address]`, `[address]/bits`, `[address]:port`, or any text without brackets and colons with its port. */
const BRACKETS = /^\[([^\]]+)\](\/\d+)?(?::(\d{1,5}))?$/;
const WITH_PORT = /^([^:[\]]+):(\d{1,5})$/;

function parseEntry(entry: string): Rule | undefined {
  const [, address, bits = '', addressPort] = BRACKETS.exec(entry) ?? [];
  if (address !== undefined) {
    return isIP(address) === 6 ? createRule(address + bits, addressPort) : undefined;
  }
  const [, host = entry, port] = WITH_PORT.exec(entry) ?? [];
  return createRule(host, port);
}

function createRule(host: string, portText: string | undefined): Rule | undefined {
  const matches = host === '*' ? () => true : (parseNetwork(host) ?? parseName(host));
  return matches && { matches, port: portText === undefined ? undefined : Number(portText) };
}

/** Matches an address in any of its spellings, or a network (RFC 4632) in which addresses lie. */
function parseNetwork(text: string): Rule['matches'] | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const maxBits = version === 6 ? 128 : 32;
  const prefix = bits === undefined ? maxBits : Number(bits);
  if (version === 0 || prefix > maxBits) return undefined;
  const network = new BlockList();
  network.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  return (hostname) => {
    const hostVersion = isIP(hostname);
    return hostVersion !== 0 && network.check(hostname, hostVersion === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Matches a name and its subdomains. */
function parseName(text: string): Rule['matches'] | undefined {
  const name = domainToASCII(text.replace(/^\*?\./, '').replace(/\.$/, ''));
  // Digits and dots only: the beginning of an address, which other programs accept.
  if (!/^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/.test(name) || /^[\d.]+$/.test(name)) return undefined;
  return (hostname) => hostname === name || hostname.endsWith(`.${name}`);
}
