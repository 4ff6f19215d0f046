import { TickhaulError } from '../base/errors.js';

/** What OpenSSL says of an answer that is plain HTTP. */
const NO_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_OVERFLOW/;
const CERTIFICATE = /CERT|SIGNATURE|ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO_/;
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
/** Each names who it was: the host, or the proxy before it. */
const ADVICE_BY_CODE: Readonly<Record<string, (who: string) => string>> = {
  ENOTFOUND: (who) => `the name ${who} is not known: check the address, the DNS and the proxy settings`,
  EAI_AGAIN: (who) => `the name ${who} could not be looked up: check the DNS and the network`,
  ECONNREFUSED: (who) => `${who} refused the connection: check the address and the proxy settings`,
  EHOSTUNREACH: (who) => `there is no route to ${who}: check the network and the proxy settings`,
  ENETUNREACH: (who) => `there is no route to ${who}: check the network and the proxy settings`,
  ETIMEDOUT: (who) => `${who} did not answer in time: check the network and the proxy settings`,
  UND_ERR_HEADERS_OVERFLOW: (who) =>
    `${who} sent more headers than any answer of the service has: check the address and the proxy settings`,
  UND_ERR_CONNECT_TIMEOUT: () => 'no connection in time: check the network and the proxy settings',
};

/** What Node tells of a failed look-up or connection. */
interface ConnectionFailure {
  readonly code: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/** A failed request, before any answer, as `reset` or `unreachable` with what to check. */
export function toNetworkError(error: unknown, host: string): TickhaulError {
  if (error instanceof TickhaulError) return error;
  const failure = findConnectionFailure(error);
  const text = error instanceof Error ? error.message : String(error);
  if (RESET_CODES.has(failure.code)) {
    return new TickhaulError('reset', `${host}: the connection broke before an answer came`, {
      cause: error,
    });
  }
  return new TickhaulError('unreachable', `${host} cannot be reached: ${adviceFor(failure, text, host)}`, {
    cause: error,
  });
}

function adviceFor(failure: ConnectionFailure, text: string, host: string): string {
  const { code } = failure;
  const proxyAnswer = /Proxy response \((\d+)\)/.exec(text)?.[1];
  if (proxyAnswer !== undefined) return `the proxy answered ${proxyAnswer}: check HTTPS_PROXY and NO_PROXY`;
  if (text.startsWith('Proxy Authentication')) {
    return 'the proxy answered 407: put the user and password for it into HTTP_PROXY';
  }
  if (NO_TLS.test(code)) {
    return `it does not speak TLS (${code}): check the address, which may begin with http://, and the proxy settings`;
  }
  if (CERTIFICATE.test(code)) {
    return `its certificate is not trusted (${code}): check the clock, or name your own authority's file in NODE_EXTRA_CA_CERTS`;
  }
  const help = ADVICE_BY_CODE[code];
  return help
    ? help(describeAddress(failure) ?? host)
    : `${code || text}: check the network, the DNS and the proxy settings`;
}

function describeAddress({ hostname, address, port }: ConnectionFailure): string | undefined {
  if (address === undefined || port === undefined) return hostname;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Of the error, its cause, or the first of several addresses that were tried. */
function findConnectionFailure(error: unknown): ConnectionFailure {
  if (!(error instanceof Error)) return { code: '' };
  if (error instanceof AggregateError && error.errors.length > 0)
    return findConnectionFailure(error.errors[0]);
  if ('code' in error && typeof error.code === 'string') return error as Error & ConnectionFailure;
  return findConnectionFailure(error.cause);
}
