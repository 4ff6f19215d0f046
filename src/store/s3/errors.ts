import { type ErrorCode, TickhaulError } from '../../base/errors.js';
import { printable } from '../../base/printable.js';
import type { Secrets } from '../../base/secrets.js';
import { plural } from '../../base/units.js';

/** What is known where a request fails. */
export interface FailureContext {
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly secrets: Secrets;
  /** Whether it would have changed what is stored. */
  readonly writes: boolean;
}

/** Of the SDK's errors what is looked at; the rest may hold keys and signatures, and goes no further. */
interface Refusal {
  readonly code: string;
  readonly status: number | undefined;
  readonly message: string;
  /** The right one, where the store tells it. */
  readonly region: string | undefined;
  readonly retryAfterMs: number | undefined;
}

type Kind = readonly [ErrorCode, advice: string];

const CREDENTIALS = 'check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE …)';
const EXPIRED: Kind = ['store_refused', 'the credentials have expired; sign in again, or renew them'];
const WRONG_KEY: Kind = ['store_refused', `it does not know these credentials; ${CREDENTIALS}`];
const DENIED: Kind = [
  'store_refused',
  'these credentials may not do that; they need to list the bucket, and to get, put and delete its objects',
];
/** Of HEAD, whose answer has no body to say which it is. */
const UNTOLD: Kind = ['store_refused', `the credentials are wrong, or may not do that; ${CREDENTIALS}`];
const NOT_WRITABLE: Kind = [
  'disk',
  'these credentials may not write there; they need to put and delete objects of the bucket',
];
const FULL: Kind = ['disk', 'the store is full, or a quota is used up; free some space and run it again'];
const READ_ONLY: Kind = ['disk', 'the store does not take it: it may be read-only'];
const DAMAGED: Kind = ['reset', 'the bytes were damaged on their way'];
const NO_KEY: Kind = [
  'rejected',
  'the store takes no key of this name: it has at most 1,024 bytes, and some stores refuse some characters',
];
const BUSY: Kind = ['server_error', 'the store is busy'];
const CLOCK: Kind = [
  'store_refused',
  "the clock here differs from the store's by more than 15 minutes; set it",
];

/** By the code that the store's answer has (Amazon S3 API reference, List of error codes; others from practice). */
const KINDS: Readonly<Record<string, Kind>> = {
  // Its status may be 200, of which the SDK makes 503.
  AccessDenied: DENIED,
  NoSuchBucket: [
    'usage',
    'there is no such bucket; make it first, or check its name, --s3-endpoint and --s3-region',
  ],
  InvalidBucketName: ['usage', 'this is no name of a bucket'],
  InvalidAccessKeyId: WRONG_KEY,
  InvalidSecurity: WRONG_KEY,
  SignatureDoesNotMatch: [
    'store_refused',
    `the secret key does not belong to the access key; ${CREDENTIALS}`,
  ],
  InvalidToken: EXPIRED,
  ExpiredToken: EXPIRED,
  TokenRefreshRequired: EXPIRED,
  RequestTimeTooSkewed: CLOCK,
  RequestExpired: CLOCK,
  QuotaExceeded: FULL,
  InsufficientStorage: FULL,
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: FULL,
  ServiceQuotaExceeded: FULL,
  EntityTooLarge: ['disk', 'the store does not take objects of this size'],
  MethodNotAllowed: READ_ONLY,
  NoSuchKey: ['missing', 'there is no such object'],
  KeyTooLongError: NO_KEY,
  InvalidObjectName: NO_KEY,
  XMinioInvalidObjectName: NO_KEY,
  NoSuchUpload: ['upload_lost', 'the upload was ended by somebody else; run it again'],
  InvalidPart: ['upload_lost', 'the store does not have the parts that it acknowledged; run it again'],
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

const NO_STORE =
  'this is no answer of an object store; check --s3-endpoint, and whether it needs --s3-path-style';

/** The SDK's words for an answer that isn't XML: a page of a proxy, or of a server that is no store. */
const UNREADABLE = /Deserialization error/;

/** What any other answer of a status means; of HEAD, which has no body, the only thing to go by. */
function kindOfStatus(status: number | undefined, isPage: boolean): Kind {
  if (status === 401 || status === 403) return DENIED;
  if (isPage && (status === 400 || status === 404)) return ['bad_answer', NO_STORE];
  if (status === 404) return ['missing', 'there is no such object'];
  if (status === 405) return READ_ONLY;
  if (status === 507) return FULL;
  if (status === 408 || status === 429) return BUSY;
  if (status === 501) return ['rejected', 'the store does not know this request'];
  if (status !== undefined && status >= 500) return ['server_error', 'the store failed'];
  if (status !== undefined && status >= 400) return ['rejected', 'the store refused the request'];
  return ['bad_answer', NO_STORE];
}

/** The SDK's own, where the store says nothing. */
const UNTOLD_WORDS = new Set(['Unknown', 'UnknownError', 'Error']);

const WRONG_REGION = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/** What a store refused as a TickhaulError in one line, which holds no key; anything else is returned as it is. */
export function failureOf(error: unknown, { name, secrets, writes }: FailureContext): unknown {
  if (error instanceof TickhaulError) return error;
  const refusal = refusalOf(error);
  const { code, status, region, retryAfterMs } = refusal;
  if (status === undefined) return error;
  if (WRONG_REGION.has(code) || status === 301 || (region !== undefined && status === 400)) {
    const right =
      region === undefined ? 'name the right one with --s3-region' : `use --s3-region ${printable(region)}`;
    return new TickhaulError('usage', `${name}: the bucket is in another region; ${right}`);
  }
  const isPage = UNREADABLE.test(refusal.message);
  const found = KINDS[code] ?? kindOfStatus(status, isPage);
  const [kind, advice] = found === DENIED ? denied(code, writes) : found;
  const told = [isPage ? '' : code, status].filter((part) => part !== '' && part !== undefined).join(', ');
  const isKnown = KINDS[code] !== undefined && found !== DENIED;
  const said = !isKnown && refusal.message !== '' && !isPage ? `: ${refusal.message}` : '';
  const text = secrets.redact(`${name}: ${advice} (${told}${said})`);
  return new TickhaulError(kind, printable(text.replaceAll(/\s+/g, ' ')), { retryAfterMs });
}

function denied(code: string, writes: boolean): Kind {
  if (writes) return NOT_WRITABLE;
  return code === '' ? UNTOLD : DENIED;
}

/** For what is no address of a store, or one with a password in it. */
export function badEndpoint(endpoint: string): TickhaulError {
  const shown = printable(endpoint.replace(/^(.*\/\/)?.*@/, '$1…@'));
  return new TickhaulError(
    'usage',
    `the store's endpoint "${shown}" is not an address; write --s3-endpoint, or AWS_ENDPOINT_URL_S3, as https://host or http://host:port, without a user in it`,
  );
}

/** For an answer that is a page's, say. */
export function noStore(name: string): TickhaulError {
  return new TickhaulError('bad_answer', `${name}: ${NO_STORE}`);
}

/**
 * After the last try: what would help a single request again is the end for all of them.
 * @param advice what to do besides.
 */
export function gaveUp(error: TickhaulError, name: string, tries: number, advice = ''): TickhaulError {
  const { message } = error;
  const about = message.startsWith(name) ? message : `${name}: ${message}`;
  const text = `${about}${advice}; tried ${plural(tries, 'time')}, run the same command again later`;
  return new TickhaulError('store_down', text, { cause: error });
}

/** The chain has none, or could not bring them. What it says of files and hosts is left out. */
export function noCredentials(error: unknown): TickhaulError {
  const name = error instanceof Error ? error.name : '';
  const what = name === 'CredentialsProviderError' ? 'there are none' : `they cannot be had (${name})`;
  return new TickhaulError(
    'store_refused',
    `no credentials for the object store: ${what}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE`,
  );
}

/** Their source did not answer in time, and was ended. @param source a program or a host. */
export function silentCredentials(source: string, timeoutMs: number): TickhaulError {
  return new TickhaulError(
    'store_down',
    `no credentials for the object store: ${printable(source)} gave none within ${timeoutMs / 1000}s; check that it answers`,
  );
}

function refusalOf(error: unknown): Refusal {
  const found = (error ?? {}) as {
    readonly name?: unknown;
    readonly Code?: unknown;
    readonly message?: unknown;
    readonly Region?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  };
  const headers = found.$response?.headers ?? {};
  const isTold = (text: unknown): text is string => typeof text === 'string' && !UNTOLD_WORDS.has(text);
  const region = [found.Region, headers['x-amz-bucket-region']].find((text) => typeof text === 'string');
  const seconds = Number(headers['retry-after']);
  return {
    code: [found.Code, found.name].find(isTold) ?? '',
    status: found.$metadata?.httpStatusCode,
    message: isTold(found.message) ? found.message : '',
    region: region === undefined ? undefined : String(region),
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
  };
}
