import { TickhaulError } from '../base/errors.js';
import { toAddressSpaceError } from '../base/wasm.js';

/** OpenSSL error codes for a response in plain HTTP. */
const NOT_TLS_CODE = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_OVERFLOW/;
const CERTIFICATE_CODE = /CERT|SIGNATURE|ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO_/;
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);
/** Advice by error code. `target` is the address that failed: that of the host or of its proxy. */
const ADVICE_BY_CODE: Readonly<Record<string, (target: string) => string>> = {
  ENOTFOUND: (target) =>
    `the name ${target} cannot be resolved: check the address, the DNS and the proxy settings`,
  EAI_AGAIN: (target) => `the name ${target} could not be looked up: check the DNS and the network`,
  ECONNREFUSED: (target) => `${target} refused the connection: check the address and the proxy settings`,
  EHOSTUNREACH: (target) => `there is no route to ${target}: check the network and the proxy settings`,
  ENETUNREACH: (target) => `there is no route to ${target}: check the network and the proxy settings`,
  ETIMEDOUT: (target) => `${target} did not respond in time: check the network and the proxy settings`,
  UND_ERR_HEADERS_OVERFLOW: (target) =>
    `${target} sent more headers than the service ever does: check the address and the proxy settings`,
  UND_ERR_CONNECT_TIMEOUT: () => 'connecting took too long: check the network and the proxy settings',
};

/** Fields of Node's error for a failed lookup or connection. */
interface ConnectionFailure {
  readonly code: string;
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
}

/**
 * Converts the error of a request that failed before its response to `reset` or `unreachable`, with advice.
 */
export function toNetworkError(error: unknown, host: string): TickhaulError {
  if (error instanceof TickhaulError) return error;
  // The HTTP parser is WebAssembly.
  const addressSpaceError = toAddressSpaceError(error);
  if (addressSpaceError) return addressSpaceError;
  const failure = findConnectionFailure(error);
  const text = error instanceof Error ? error.message : String(error);
  if (RESET_CODES.has(failure.code)) {
    return new TickhaulError('reset', `${host}: the connection broke before the response; try again`, {
      cause: error,
    });
  }
  return new TickhaulError('unreachable', `${host} cannot be reached: ${adviceFor(failure, text, host)}`, {
    cause: error,
  });
}

function adviceFor(failure: ConnectionFailure, text: string, host: string): string {
  const { code } = failure;
  const proxyStatus = /Proxy response \((\d+)\)/.exec(text)?.[1];
  if (proxyStatus !== undefined) return `the proxy answered ${proxyStatus}: check HTTPS_PROXY and NO_PROXY`;
  if (text.startsWith('Proxy Authentication')) {
    return 'the proxy answered 407: put the user and password for it into HTTP_PROXY';
  }
  if (NOT_TLS_CODE.test(code)) {
    return `it does not speak TLS (${code}): check the address, which may begin with http://, and the proxy settings`;
  }
  if (CERTIFICATE_CODE.test(code)) {
    return `its certificate is not trusted (${code}): check the clock, or name your own authority's file in NODE_EXTRA_CA_CERTS`;
  }
  const createAdvice = ADVICE_BY_CODE[code];
  return createAdvice
    ? createAdvice(describeAddress(failure) ?? host)
    : `${code || text}: check the network, the DNS and the proxy settings`;
}

function describeAddress({ hostname, address, port }: ConnectionFailure): string | undefined {
  if (address === undefined || port === undefined) return hostname;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Searches the error and its causes; of several failed addresses, takes the first. */
function findConnectionFailure(error: unknown): ConnectionFailure {
  if (!(error instanceof Error)) return { code: '' };
  if (error instanceof AggregateError && error.errors.length > 0)
    return findConnectionFailure(error.errors[0]);
  if ('code' in error && typeof error.code === 'string') return error as Error & ConnectionFailure;
  return findConnectionFailure(error.cause);
}
