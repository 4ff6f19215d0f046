import { setMaxListeners } from 'node:events';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { abortReason, TickhaulError } from '../../base/errors.js';
import { withRetries } from '../../base/retry.js';
import { Secrets } from '../../base/secrets.js';
import { orAborted } from '../../base/wait.js';
import { proxiesOf } from '../../http/proxy-env.js';
import type { StoreSettings } from '../files.js';
import { type CredentialSource, openCredentials } from './credentials.js';
import { badEndpoint, failureOf, gaveUp } from './errors.js';
import { createRequestHandler } from './request-handler.js';
import { createClient, loadSdk, type Sdk } from './sdk.js';
import { openTeller } from './told-requests.js';

/** Tries of a request in all, with up to 90 s of waits between them. */
const TRIES = 10;
/** Of the first request of a run: an address that is wrong should be told soon. */
const TRIES_AT_START = 3;
/** Each of these took the stall timeout. */
const STALLED_TRIES = 3;
/** Milliseconds: the longest wait that a store may ask for. */
const MAX_WAIT_MS = 60_000;
/** Where nobody names one: stores that know no regions take it, and AWS answers with the right one. */
const ANY_REGION = 'us-east-1';

/** What a request is about, and how often it is tried. */
export interface Asking {
  /** `s3://bucket` or `s3://bucket/key`, for messages. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly isFirst?: boolean | undefined;
  /** It changes what is stored. */
  readonly writes?: boolean | undefined;
}

/** The way to an object store: the SDK's client, and what is done when a request fails. */
export interface Connection {
  readonly sdk: Sdk;
  /**
   * Asks, and asks again while that may help.
   * @throws TickhaulError as in `errors.ts`; the reason of an abort.
   */
  ask<T>(asking: Asking, send: (client: S3Client, options: SendOptions) => Promise<T>): Promise<T>;
  close(): void;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

/** Loads the SDK and makes a client; nothing is asked yet. @throws usage error where the SDK isn't installed. */
export async function connect(settings: StoreSettings): Promise<Connection> {
  const { endpoint } = settings;
  if (endpoint !== undefined && !isAddress(endpoint)) throw badEndpoint(endpoint);
  const sdk = loadSdk();
  const secrets = new Secrets();
  const teller = settings.tellsRequests === true ? openTeller() : undefined;
  const handler = createRequestHandler({
    proxies: proxiesOf(settings.proxyVariables ?? {}),
    stallTimeoutMs: settings.stallTimeoutMs,
    onRequest: teller?.tell,
  });
  const client = await clientOf(sdk, settings, handler);
  const credentials = openCredentials(() => client.config.credentials(), settings.stallTimeoutMs);
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  return {
    sdk,
    async ask({ name, signal, isFirst = false, writes = false }, send) {
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
          return await (signal ? orAborted(sent, signal) : sent);
        } catch (error) {
          if (signal?.aborted) throw abortReason(signal);
          throw failureOf(error, { name, secrets, writes });
        }
      };
      try {
        return await withRetries(once, {
          tries: isFirst ? TRIES_AT_START : (settings.tries ?? TRIES),
          maxWaitMs: MAX_WAIT_MS,
          signal: signal ?? closed.signal,
          mayRetry: (error) =>
            !closed.signal.aborted &&
            mayHelp(error) &&
            (error.code !== 'stalled' || ++stalls < STALLED_TRIES),
        });
      } catch (error) {
        throw error instanceof TickhaulError && mayHelp(error) && !signal?.aborted
          ? gaveUp(error, name, tries, hostAdvice(error, settings))
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
function mayHelp({ retry, code }: TickhaulError): boolean {
  return retry && code !== 'upload_lost';
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

async function clientOf(
  sdk: Sdk,
  { endpoint, region, pathStyle }: StoreSettings,
  requestHandler: ReturnType<typeof createRequestHandler>,
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
  const client = createClient(sdk, config);
  // Of a profile, where neither a flag nor the environment names one.
  const known = await client.config.region().catch(() => undefined);
  return known === undefined ? createClient(sdk, { ...config, region: ANY_REGION }) : client;
}

/** So that none is printed. @throws TickhaulError as `CredentialSource.load`. */
async function rememberSecrets(credentials: CredentialSource, secrets: Secrets): Promise<void> {
  const found = await credentials.load();
  for (const secret of [found.accessKeyId, found.secretAccessKey, found.sessionToken]) {
    if (secret !== undefined) secrets.add(secret);
  }
}
