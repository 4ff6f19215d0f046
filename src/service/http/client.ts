import { usageError } from '../../base/errors.js';
import type { Agents, Connections } from '../../http/agents.js';
import { proxiesOf } from '../../http/proxy-env.js';
import type { ServiceConfig } from '../types.js';

/** The connections of one run, kept alive between requests. */
export interface Client {
  /** As given, with a trimmed key and with addresses that are known to be URLs. */
  readonly config: ServiceConfig;
  /** The connections to use for this address: direct, or through the proxy the environment names. */
  connectionsFor(url: URL): Promise<Connections>;
  /** Breaks off what is still running and frees the sockets. */
  close(): Promise<void>;
}

/**
 * Prepares the connections to the service; nothing is connected yet, and what connects isn't loaded: it takes long, and
 * a run that finds all on disk needs none.
 * @throws usage error for an address or a proxy that is no http(s) URL, or a key that cannot be sent.
 */
export function createClient(config: ServiceConfig): Client {
  const checked: ServiceConfig = {
    ...config,
    apiUrl: checkedUrl('API URL', config.apiUrl),
    datasetsUrl: checkedUrl('datasets URL', config.datasetsUrl),
    apiKey: checkedKey(config.apiKey),
  };
  const proxies = proxiesOf(config.env);
  let agents: Promise<Agents> | undefined;
  const loadAgents = async (): Promise<Agents> =>
    (await import('../../http/agents.js')).createAgents(proxies);
  return {
    config: checked,
    connectionsFor: async ({ protocol }) => {
      agents ??= loadAgents();
      return (await agents).agentFor(protocol);
    },
    close: async () => (await agents)?.close(),
  };
}

function checkedUrl(name: string, text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usageError(`the ${name} "${text}" is not a URL: write it with its scheme, as in https://host`);
  }
  return text.replace(/\/+$/, '');
}

function checkedKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw usageError('the API key holds a blank, a line break or a character that no key has: copy it again');
  }
  return trimmed;
}
