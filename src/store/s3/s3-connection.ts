import { setMaxListeners } from 'node:events';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { judgeError } from '../../base/judge-error.js';
import { loadOptionalPackage } from '../../base/load-optional-package.js';
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

/** Description of a request, and options for retries. */
export interface S3Request {
  /** `s3://bucket` or `s3://bucket/key`, for messages. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly isFirst?: boolean | undefined;
  /** Whether it changes stored data. */
  readonly writes?: boolean | undefined;
}

/** The SDK's client, with retries and error conversion. */
export interface S3Connection {
  readonly sdk: Sdk;
  /**
   * Sends a request, with retries.
   * @throws TickhaulError as in `s3-errors.ts`; the abort reason.
   */
  send<T>(request: S3Request, send: (client: S3Client, options: SendOptions) => Promise<T>): Promise<T>;
  close(): void;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/**
 * Loads the SDK and creates a client, without sending a request.
 * @throws usage error if the SDK is not installed.
 */
export async function openS3Connection(settings: StoreSettings): Promise<S3Connection> {
  const { endpoint } = settings;
  if (endpoint !== undefined && !isAddress(endpoint)) throw createEndpointError(endpoint);
  const sdk = loadSdk();
  const secrets = new Secrets();
  const logSender = settings.logsRequests === true ? openRequestLogSender() : undefined;
  const handler = createS3RequestHandler({
    proxies: readProxySettings(settings.proxyVariables ?? {}),
    stallTimeoutMs: settings.stallTimeoutMs,
    onRequest: logSender?.send,
  });
  const client = await createS3Client(sdk, settings, handler);
  const credentials = openCredentials(() => client.config.credentials(), settings.stallTimeoutMs);
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  return {
    sdk,
    async send({ name, signal, isFirst = false, writes = false }, send) {
      // All requests of a run listen to the same signal.
      if (signal) setMaxListeners(0, signal);
      let stalls = 0;
      let attempts = 0;
      const sendOnce = async () => {
        attempts++;
        try {
          // Reject on abort as well, since a source of credentials may not respond.
          const response = registerSecrets(credentials, secrets).then(() =>
            send(client, signal ? { abortSignal: signal } : {}),
          );
          return await (signal ? rejectOnAbort(response, signal) : response);
        } catch (error) {
          if (signal?.aborted) throw abortReason(signal);
          throw toS3Error(error, { name, secrets, writes });
        }
      };
      try {
        return await withRetries(sendOnce, {
          maxAttempts: isFirst ? MAX_FIRST_ATTEMPTS : (settings.maxAttempts ?? MAX_ATTEMPTS),
          maxWaitMs: MAX_WAIT_MS,
          signal: signal ?? closed.signal,
          mayRetry: (error) =>
            !closed.signal.aborted && (error.code !== 'stalled' || ++stalls < MAX_STALLED_ATTEMPTS),
        });
      } catch (error) {
        throw error instanceof TickhaulError && judgeError(error).canRepeatRequest && !signal?.aborted
          ? createStoreGaveUpError(error, name, attempts, hostAdvice(error, settings))
          : error;
      }
    },
    close() {
      closed.abort();
      credentials.close();
      client.destroy();
      logSender?.close();
    },
  };
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
export function loadSdk(): Sdk {
  return loadOptionalPackage('an object store', PACKAGE, (require) => require('@aws-sdk/client-s3') as Sdk);
}

/** Creates a client without the SDK's warning, and without sending a request. */
export function createSdkClient(sdk: Sdk, config: S3ClientConfig): S3Client {
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
