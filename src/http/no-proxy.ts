import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { sanitizeForTerminal } from '../base/text.js';

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
