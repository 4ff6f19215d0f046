import { TickhaulError } from '../errors.js';

const CERTIFICATE = /CERT|SIGNATURE|ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO_/;
const RESET = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
const HELP: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name is not known: check the address, the DNS and the network',
  EAI_AGAIN: 'the name could not be looked up: check the DNS and the network',
  ECONNREFUSED: 'the connection was refused: check the address and the proxy settings',
  EHOSTUNREACH: 'no way leads there: check the network and the proxy settings',
  ENETUNREACH: 'no way leads there: check the network and the proxy settings',
  ETIMEDOUT: 'no connection came about in time: check the network and the proxy settings',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time: check the network and the proxy settings',
};

/** A failed request, before any answer, as `reset` or `unreachable` with what to check. */
export function networkError(error: unknown, host: string): TickhaulError {
  if (error instanceof TickhaulError) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (RESET.has(code)) {
    return new TickhaulError('reset', `${host}: the connection broke before an answer came`, {
      cause: error,
    });
  }
  return new TickhaulError('unreachable', `${host} cannot be reached: ${adviceFor(code, text)}`, {
    cause: error,
  });
}

function adviceFor(code: string, text: string): string {
  const proxyAnswer = /Proxy response \((\d+)\)/.exec(text)?.[1];
  if (proxyAnswer !== undefined) return `the proxy answered ${proxyAnswer}: check HTTPS_PROXY and NO_PROXY`;
  if (text.startsWith('Proxy Authentication')) {
    return 'the proxy answered 407: put the user and password for it into HTTP_PROXY';
  }
  if (CERTIFICATE.test(code)) {
    return `its certificate is not trusted (${code}): check the clock, or name your own authority's file in NODE_EXTRA_CA_CERTS`;
  }
  return HELP[code] ?? `${code || text}: check the network, the DNS and the proxy settings`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
}
