import { setMaxListeners } from 'node:events';
import type {
  $Command,
  S3Client,
  S3ClientConfig,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { abortReason, judgeError, TickhaulError } from '../../base/errors.js';
import { loadOptionalPackage } from '../../base/packages.js';
import { Secrets } from '../../base/secrets.js';
import { rejectOnAbort } from '../../base/wait.js';
import { withRetries } from '../../base/with-retries.js';
import { readProxySettings } from '../../http/proxy-settings.js';
import type { StoreSettings } from '../files.js';
import { openRequestLogSender } from '../request-log-channel.js';
import { type CredentialSource, openCredentials } from './credentials.js';
import { createEndpointError, createStoreGaveUpError, toS3Error } from './s3-errors.js';
import { createS3RequestHandler } from './s3-request-handler.js';

/** Total attempts per request, with up to 90 s of waits between them. */
const MAX_ATTEMPTS = 10;
/** Total attempts of the first request of a run, so that a wrong endpoint is reported soon. */
const MAX_FIRST_ATTEMPTS = 3;
/** Total attempts that may stall, since each takes the stall timeout. */
const MAX_STALLED_ATTEMPTS = 3;
/** Longest delay that a store may request. */
const MAX_WAIT_MS = 60_000;
/** Used if no region is configured: stores without regions accept it, and AWS responds with the right one. */
const DEFAULT_REGION = 'us-east-1';

export interface S3RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isFirst?: boolean | undefined;
  /** Whether it changes stored data. */
  readonly writes?: boolean | undefined;
}

/** Any command of the SDK. */
type S3Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

/** Sends a command once, and resolves to its response. Throws errors of the SDK. */
export type SendOnce = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: S3Command<Input, Output>,
) => Promise<Output>;

/** The SDK's client, with retries and error conversion. Only the first request loads the SDK. */
export interface S3Connection {
  /**
   * Sends a command, with retries.
   * @param name `s3://bucket` or `s3://bucket/key`, for messages.
   * @throws TickhaulError as in `s3-errors.ts`; usage error if the SDK is not installed; the abort reason.
   */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    name: string,
    command: (sdk: Sdk) => S3Command<Input, Output>,
    options?: S3RequestOptions,
  ): Promise<Output>;
  /** Like `send`, for an attempt that judges the response or the error itself. */
  attempt<T>(
    name: string,
    work: (send: SendOnce, sdk: Sdk) => Promise<T>,
    options?: S3RequestOptions,
  ): Promise<T>;
  close(): void;
}

/** Creates a connection that opens its client with the first request. */
export function openS3Connection(settings: StoreSettings): S3Connection {
  let opened: Promise<OpenClient> | undefined;
  const attempt: S3Connection['attempt'] = async (name, work, options = {}) => {
    opened ??= openClient(settings);
    return attemptWithRetries(await opened, settings, name, work, options);
  };
  return {
    attempt,
    send: (name, command, options) => attempt(name, (send, sdk) => send(command(sdk)), options),
    close() {
      opened?.then(({ close }) => close()).catch(() => {});
    },
  };
}

interface OpenClient {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly credentials: CredentialSource;
  /** Redacted in messages. */
  readonly secrets: Secrets;
  /** Aborted by `close`. */
  readonly closed: AbortSignal;
  close(): void;
}

/**
 * Loads the SDK and creates a client, without sending a request.
 * @throws usage error if the SDK is not installed.
 */
async function openClient(settings: StoreSettings): Promise<OpenClient> {
  const { endpoint } = settings;
  if (endpoint !== undefined && !isAddress(endpoint)) throw createEndpointError(endpoint);
  const sdk = loadSdk();
  const logSender = settings.logsRequests === true ? openRequestLogSender() : undefined;
  const handler = createS3RequestHandler({
    proxies: readProxySettings(settings.proxyVariables ?? {}),
    stallTimeoutMs: settings.stallTimeoutMs,
    onRequest: logSender?.send,
  });
  const client = await createS3Client(sdk, settings, handler);
  const credentials = openCredentials(() => client.config.credentials(), settings.stallTimeoutMs);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  return {
    sdk,
    client,
    credentials,
    secrets: new Secrets(),
    closed: closing.signal,
    close() {
      closing.abort();
      credentials.close();
      client.destroy();
      logSender?.close();
    },
  };
}

async function attemptWithRetries<T>(
  { sdk, client, credentials, secrets, closed }: OpenClient,
  settings: StoreSettings,
  name: string,
  work: (send: SendOnce, sdk: Sdk) => Promise<T>,
  { signal, isFirst = false, writes = false }: S3RequestOptions,
): Promise<T> {
  // All requests of a run listen to the same signal.
  if (signal) setMaxListeners(0, signal);
  let stalls = 0;
  let attempts = 0;
  const send: SendOnce = (command) => client.send(command, signal ? { abortSignal: signal } : {});
  const attemptOnce = async (): Promise<T> => {
    attempts++;
    try {
      // Reject on abort as well, since a source of credentials may not respond.
      const response = registerSecrets(credentials, secrets).then(() => work(send, sdk));
      return await (signal ? rejectOnAbort(response, signal) : response);
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      throw toS3Error(error, { name, secrets, writes });
    }
  };
  try {
    return await withRetries(attemptOnce, {
      maxAttempts: isFirst ? MAX_FIRST_ATTEMPTS : (settings.maxAttempts ?? MAX_ATTEMPTS),
      maxWaitMs: MAX_WAIT_MS,
      signal: signal ?? closed,
      mayRetry: (error) => !closed.aborted && (error.code !== 'stalled' || ++stalls < MAX_STALLED_ATTEMPTS),
    });
  } catch (error) {
    throw error instanceof TickhaulError && judgeError(error).canRepeatRequest && !signal?.aborted
      ? createStoreGaveUpError(error, name, attempts, hostAdvice(error, settings))
      : error;
  }
}

/** The SDK puts the bucket before the host name, which few self-hosted stores support. */
function hostAdvice({ cause }: TickhaulError, { endpoint, pathStyle }: StoreSettings): string {
  const isUnknown = cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND';
  return isUnknown && endpoint !== undefined && pathStyle !== true ? ', or use --s3-path-style' : '';
}

function isAddress(endpoint: string): boolean {
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) return false;
  const { username, password } = new URL(endpoint);
  return username === '' && password === '';
}

async function createS3Client(
  sdk: Sdk,
  { endpoint, region, pathStyle }: StoreSettings,
  requestHandler: ReturnType<typeof createS3RequestHandler>,
): Promise<S3Client> {
  const config: S3ClientConfig = {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle === true && { forcePathStyle: true }),
    requestHandler,
    // `withRetries` is used instead, which can be aborted and throws TickhaulError.
    maxAttempts: 1,
    // Stores other than AWS reject or ignore these checksums; all of them check Content-MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // undici does not support `Expect`.
    expectContinueHeader: false,
  };
  const client = createSdkClient(sdk, config);
  // The region may also come from a profile.
  const knownRegion = await client.config.region().catch(() => undefined);
  return knownRegion === undefined ? createSdkClient(sdk, { ...config, region: DEFAULT_REGION }) : client;
}

/**
 * Registers the credentials, so that they are never printed.
 * @throws TickhaulError like `CredentialSource.load`.
 */
async function registerSecrets(source: CredentialSource, secrets: Secrets): Promise<void> {
  const credentials = await source.load();
  for (const secret of [credentials.accessKeyId, credentials.secretAccessKey, credentials.sessionToken]) {
    if (secret !== undefined) secrets.add(secret);
  }
}

export type Sdk = typeof import('@aws-sdk/client-s3');

/** The tested release, as in package.json. */
const PACKAGE = '@aws-sdk/client-s3@3.1169.0';
/**
 * Disables the SDK's warning on stderr that later releases will not support Node 20. The release here is
 * pinned.
 */
const WARNING_VARIABLE = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/**
 * Loading takes 0.15 s and 25 MB, so it happens only if `s3://` is used.
 * @throws usage error if it is not installed.
 */
function loadSdk(): Sdk {
  return loadOptionalPackage('an object store', PACKAGE, (require) => require('@aws-sdk/client-s3') as Sdk);
}

/** Creates a client without the SDK's warning, and without sending a request. */
function createSdkClient(sdk: Sdk, config: S3ClientConfig): S3Client {
  const { env } = process;
  const before = env[WARNING_VARIABLE];
  // Only the constructor reads the variable, so it is restored afterwards.
  env[WARNING_VARIABLE] = 'true';
  try {
    return new sdk.S3Client(config);
  } finally {
    if (before === undefined) delete env[WARNING_VARIABLE];
    else env[WARNING_VARIABLE] = before;
  }
}
