import { setMaxListeners } from 'node:events';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { Secrets } from '../../base/secrets.js';
import { rejectOnAbort } from '../../base/wait.js';
import { withRetries } from '../../base/with-retries.js';
import { readProxySettings } from '../../http/proxy-settings.js';
import type { StoreSettings } from '../files.js';
import { type CredentialSource, openCredentials } from './credentials.js';
import { openRequestLogSender } from './request-log-channel.js';
import { createEndpointError, createGaveUpError, toS3Error } from './s3-errors.js';
import { createS3RequestHandler } from './s3-request-handler.js';
import { createSdkClient, loadSdk, type Sdk } from './sdk.js';

/** Tries of a request in all, with up to 90 s of waits between them. */
const MAX_ATTEMPTS = 10;
/** Of the first request of a run: an address that is wrong should be told soon. */
const MAX_FIRST_ATTEMPTS = 3;
/** Each of these took the stall timeout. */
const MAX_STALLED_ATTEMPTS = 3;
/** Milliseconds: the longest wait that a store may ask for. */
const MAX_WAIT_MS = 60_000;
/** Where nobody names one: stores that know no regions take it, and AWS answers with the right one. */
const DEFAULT_REGION = 'us-east-1';

/** What a request is about, and how often it is tried. */
export interface S3Request {
  /** `s3://bucket` or `s3://bucket/key`, for messages. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly isFirst?: boolean | undefined;
  /** It changes what is stored. */
  readonly writes?: boolean | undefined;
}

/** The way to an object store: the SDK's client, and what is done when a request fails. */
export interface S3Connection {
  readonly sdk: Sdk;
  /**
   * Asks, and asks again while that may help.
   * @throws TickhaulError as in `errors.ts`; the reason of an abort.
   */
  send<T>(asking: S3Request, send: (client: S3Client, options: SendOptions) => Promise<T>): Promise<T>;
  close(): void;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/** Loads the SDK and makes a client; nothing is asked yet. @throws usage error where the SDK isn't installed. */
export async function openS3Connection(settings: StoreSettings): Promise<S3Connection> {
  const { endpoint } = settings;
  if (endpoint !== undefined && !isAddress(endpoint)) throw createEndpointError(endpoint);
  const sdk = loadSdk();
  const secrets = new Secrets();
  const teller = settings.logsRequests === true ? openRequestLogSender() : undefined;
  const handler = createS3RequestHandler({
    proxies: readProxySettings(settings.proxyVariables ?? {}),
    stallTimeoutMs: settings.stallTimeoutMs,
    onRequest: teller?.send,
  });
  const client = await createS3Client(sdk, settings, handler);
  const credentials = openCredentials(() => client.config.credentials(), settings.stallTimeoutMs);
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  return {
    sdk,
    async send({ name, signal, isFirst = false, writes = false }, send) {
      // Of a run, which all its requests listen to.
      if (signal) setMaxListeners(0, signal);
      let stalls = 0;
      let tries = 0;
      const once = async () => {
        tries++;
        try {
          // Credentials may come from elsewhere, which may be silent too.
          const sent = rememberSecrets(credentials, secrets).then(() =>
            send(client, signal ? { abortSignal: signal } : {}),
          );
          return await (signal ? rejectOnAbort(sent, signal) : sent);
        } catch (error) {
          if (signal?.aborted) throw abortReason(signal);
          throw toS3Error(error, { name, secrets, writes });
        }
      };
      try {
        return await withRetries(once, {
          maxAttempts: isFirst ? MAX_FIRST_ATTEMPTS : (settings.maxAttempts ?? MAX_ATTEMPTS),
          maxWaitMs: MAX_WAIT_MS,
          signal: signal ?? closed.signal,
          mayRetry: (error) =>
            !closed.signal.aborted &&
            mayHelp(error) &&
            (error.code !== 'stalled' || ++stalls < MAX_STALLED_ATTEMPTS),
        });
      } catch (error) {
        throw error instanceof TickhaulError && mayHelp(error) && !signal?.aborted
          ? createGaveUpError(error, name, tries, hostAdvice(error, settings))
          : error;
      }
    },
    close() {
      closed.abort();
      credentials.close();
      client.destroy();
      teller?.close();
    },
  };
}

/** Whether the same request may succeed later: for a lost upload, only other requests do. */
function mayHelp({ canRetry, code }: TickhaulError): boolean {
  return canRetry && code !== 'upload_lost';
}

/** The bucket stands before the host's name then, and few stores of one's own have a name for each. */
function hostAdvice({ cause }: TickhaulError, { endpoint, pathStyle }: StoreSettings): string {
  const isUnknown = cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND';
  return isUnknown && endpoint !== undefined && pathStyle !== true ? ', or name --s3-path-style' : '';
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
    // Tries are ours: they can be aborted, and end with our errors.
    maxAttempts: 1,
    // Stores that aren't AWS refuse these checksums, or ignore them; Content-MD5 is what all of them check.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // undici knows no `Expect`.
    expectContinueHeader: false,
  };
  const client = createSdkClient(sdk, config);
  // Of a profile, where neither a flag nor the environment names one.
  const known = await client.config.region().catch(() => undefined);
  return known === undefined ? createSdkClient(sdk, { ...config, region: DEFAULT_REGION }) : client;
}

/** So that none is printed. @throws TickhaulError as `CredentialSource.load`. */
async function rememberSecrets(credentials: CredentialSource, secrets: Secrets): Promise<void> {
  const found = await credentials.load();
  for (const secret of [found.accessKeyId, found.secretAccessKey, found.sessionToken]) {
    if (secret !== undefined) secrets.add(secret);
  }
}
