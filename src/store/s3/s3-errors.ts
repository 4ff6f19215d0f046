import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import type { Secrets } from '../../base/secrets.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { plural } from '../../base/units.js';

/** Facts about the failed request. */
export interface S3ErrorContext {
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly secrets: Secrets;
  /** Whether it would have changed stored data. */
  readonly writes: boolean;
}

/** The fields of the SDK's errors that are used. Others may hold keys and signatures. */
interface S3ErrorFacts {
  readonly code: string;
  readonly status: number | undefined;
  readonly message: string;
  /** The right region, if the store reports it. */
  readonly region: string | undefined;
  readonly retryAfterMs: number | undefined;
}

type ErrorKind = readonly [ErrorCode, advice: string];

const CREDENTIALS = 'check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE …)';
const EXPIRED: ErrorKind = ['store_refused', 'the credentials have expired; sign in again, or renew them'];
const WRONG_KEY: ErrorKind = ['store_refused', `the store does not accept these credentials; ${CREDENTIALS}`];
const DENIED: ErrorKind = [
  'store_refused',
  'these credentials lack a permission; they need to list the bucket, and to get, put and delete its objects',
];
/** For responses to HEAD, which have no body with details. */
const UNSPECIFIED: ErrorKind = [
  'store_refused',
  `the credentials are wrong or lack a permission; ${CREDENTIALS}`,
];
const NOT_WRITABLE: ErrorKind = [
  'disk',
  'these credentials have no write permission; they need to put and delete objects of the bucket',
];
const FULL: ErrorKind = [
  'disk',
  'the store is full, or a quota is used up; free some space and run the same command again',
];
const READ_ONLY: ErrorKind = ['disk', 'the store does not accept writes: it may be read-only'];
const DAMAGED: ErrorKind = ['reset', 'the bytes were damaged in transit'];
const KEY_REJECTED: ErrorKind = [
  'rejected',
  'the store does not accept this key: keys have at most 1,024 bytes, and some stores refuse some characters',
];
const BUSY: ErrorKind = ['server_error', 'the store is busy'];
const CLOCK_SKEW: ErrorKind = [
  'store_refused',
  "this machine's clock differs from the store's by more than 15 minutes; set it",
];

/** By the store's error code (Amazon S3 API reference, List of error codes; others observed in practice). */
const KIND_BY_CODE: Readonly<Record<string, ErrorKind>> = {
  // The response may have status 200, for which the SDK reports 503.
  AccessDenied: DENIED,
  NoSuchBucket: [
    'usage',
    'there is no such bucket; create it, or check its name, --s3-endpoint and --s3-region',
  ],
  InvalidBucketName: ['usage', 'this is not a valid bucket name'],
  InvalidAccessKeyId: WRONG_KEY,
  InvalidSecurity: WRONG_KEY,
  SignatureDoesNotMatch: [
    'store_refused',
    `the secret key does not belong to the access key; ${CREDENTIALS}`,
  ],
  InvalidToken: EXPIRED,
  ExpiredToken: EXPIRED,
  TokenRefreshRequired: EXPIRED,
  RequestTimeTooSkewed: CLOCK_SKEW,
  RequestExpired: CLOCK_SKEW,
  QuotaExceeded: FULL,
  InsufficientStorage: FULL,
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: FULL,
  ServiceQuotaExceeded: FULL,
  EntityTooLarge: ['disk', 'the store does not accept objects of this size'],
  MethodNotAllowed: READ_ONLY,
  NoSuchKey: ['missing', 'there is no such object'],
  KeyTooLongError: KEY_REJECTED,
  InvalidObjectName: KEY_REJECTED,
  XMinioInvalidObjectName: KEY_REJECTED,
  NoSuchUpload: ['upload_lost', 'the upload was aborted by another program; run the same command again'],
  InvalidPart: [
    'upload_lost',
    'the store does not have the parts that it acknowledged; run the same command again',
  ],
  BadDigest: DAMAGED,
  InvalidDigest: DAMAGED,
  XAmzContentSHA256Mismatch: DAMAGED,
  IncompleteBody: DAMAGED,
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  RequestTimeout: BUSY,
  Throttling: BUSY,
  ThrottlingException: BUSY,
  TooManyRequests: BUSY,
  OperationAborted: BUSY,
};

const NOT_A_STORE =
  'this is not the response of an object store; check --s3-endpoint, and whether it needs --s3-path-style';

/**
 * The SDK's message for a response that is not XML: a page of a proxy, or of a server that is not an object
 * store.
 */
const UNPARSABLE_RESPONSE = /Deserialization error/;

/** Classifies other codes by status. For HEAD, whose response has no body, there is only the status. */
function classifyStatus(status: number | undefined, isPage: boolean): ErrorKind {
  if (status === 401 || status === 403) return DENIED;
  if (isPage && (status === 400 || status === 404)) return ['bad_answer', NOT_A_STORE];
  if (status === 404) return ['missing', 'there is no such object'];
  if (status === 405) return READ_ONLY;
  if (status === 507) return FULL;
  if (status === 408 || status === 425 || status === 429) return BUSY;
  if (status === 501) return ['rejected', 'the store does not support this request'];
  if (status !== undefined && status >= 500) return ['server_error', 'the store failed'];
  if (status !== undefined && status >= 400) return ['rejected', 'the store refused the request'];
  return ['bad_answer', NOT_A_STORE];
}

/** The SDK's placeholders, if the store sends no code. */
const UNSPECIFIED_CODES = new Set(['Unknown', 'UnknownError', 'Error']);

const WRONG_REGION_CODES = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/**
 * Converts an error response to a TickhaulError of one line, without secrets. Other errors keep their type.
 */
export function toS3Error(error: unknown, { name, secrets, writes }: S3ErrorContext): unknown {
  if (error instanceof TickhaulError) return error;
  const facts = readErrorFacts(error);
  const { code, status, region, retryAfterMs } = facts;
  if (status === undefined) return secrets.redactError(error);
  if (WRONG_REGION_CODES.has(code) || status === 301 || (region !== undefined && status === 400)) {
    const regionAdvice =
      region === undefined ? 'set it with --s3-region' : `use --s3-region ${sanitizeForTerminal(region)}`;
    return new TickhaulError('usage', `${name}: the bucket is in another region; ${regionAdvice}`);
  }
  const isPage = UNPARSABLE_RESPONSE.test(facts.message);
  const kind = KIND_BY_CODE[code] ?? classifyStatus(status, isPage);
  const [errorCode, advice] = kind === DENIED ? classifyDenied(code, writes) : kind;
  const details = [isPage ? '' : code, status].filter((part) => part !== '' && part !== undefined).join(', ');
  const isKnown = KIND_BY_CODE[code] !== undefined && kind !== DENIED;
  const quote = !isKnown && facts.message !== '' && !isPage ? `: ${facts.message}` : '';
  const text = secrets.redact(`${name}: ${advice} (${details}${quote})`);
  return new TickhaulError(errorCode, sanitizeForTerminal(text.replaceAll(/\s+/g, ' ')), { retryAfterMs });
}

function classifyDenied(code: string, writes: boolean): ErrorKind {
  if (writes) return NOT_WRITABLE;
  return code === '' ? UNSPECIFIED : DENIED;
}

/** For an endpoint that is not a URL, or contains a password. */
export function createEndpointError(endpoint: string): TickhaulError {
  const shown = sanitizeForTerminal(endpoint.replace(/^(.*\/\/)?.*@/, '$1…@'));
  return new TickhaulError(
    'usage',
    `the store's endpoint "${shown}" is not a URL; set --s3-endpoint or AWS_ENDPOINT_URL_S3 to https://host or http://host:port, without a user`,
  );
}

/** For a response that is not one of an object store. */
export function createNotAStoreError(name: string): TickhaulError {
  return new TickhaulError('bad_answer', `${name}: ${NOT_A_STORE}`);
}

/**
 * For the last failed attempt. The error ends the run, since other requests would fail as well.
 * @param advice added to the message.
 */
export function createStoreGaveUpError(
  error: TickhaulError,
  name: string,
  attempts: number,
  advice = '',
): TickhaulError {
  const { message } = error;
  const reason = message.startsWith(name) ? message : `${name}: ${message}`;
  const text = `${reason}${advice}; tried ${plural(attempts, 'time')}, run the same command again later`;
  return new TickhaulError('store_down', text, { cause: error });
}

/**
 * For missing credentials, or a failure to load them. Omits the SDK's message, which may contain files and
 * hosts.
 */
export function createCredentialsError(error: unknown): TickhaulError {
  const name = error instanceof Error ? error.name : '';
  const reason = name === 'CredentialsProviderError' ? 'there are none' : `loading them failed (${name})`;
  return new TickhaulError(
    'store_refused',
    `no credentials for the object store: ${reason}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE`,
  );
}

/** For a source of credentials that did not respond in time. @param source a program or a host. */
export function createCredentialsTimeoutError(source: string, timeoutMs: number): TickhaulError {
  return new TickhaulError(
    'store_down',
    `no credentials for the object store: ${sanitizeForTerminal(source)} returned none within ${timeoutMs / 1000}s; check that it responds`,
  );
}

function readErrorFacts(error: unknown): S3ErrorFacts {
  const fields = (error ?? {}) as {
    readonly name?: unknown;
    readonly Code?: unknown;
    readonly message?: unknown;
    readonly Region?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  };
  const headers = fields.$response?.headers ?? {};
  const isSpecific = (text: unknown): text is string =>
    typeof text === 'string' && !UNSPECIFIED_CODES.has(text);
  const region = [fields.Region, headers['x-amz-bucket-region']].find((text) => typeof text === 'string');
  const seconds = Number(headers['retry-after']);
  return {
    code: [fields.Code, fields.name].find(isSpecific) ?? '',
    status: fields.$metadata?.httpStatusCode,
    message: isSpecific(fields.message) ? fields.message : '',
    region: region === undefined ? undefined : String(region),
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
  };
}
