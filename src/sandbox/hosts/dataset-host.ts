import { createHmac, randomBytes } from 'node:crypto';
import { isFirstDayOfMonth, parseDay } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { GzipContent } from '../archive/gzip-content.js';
import { type Archive, isAvailableOn } from '../archive/synthetic-archive.js';
import type { SandboxKeyAccess } from '../sandbox-options.js';
import { isAuthorized, isFileAllowed, sendKeyRefusal } from './authorization.js';
import {
  createRouter,
  parseTarget,
  route,
  type SandboxCall,
  type SandboxHandler,
  sendSandboxError,
  sendText,
  startResponse,
} from './sandbox-call.js';
import type { FaultChooser, FaultKind } from './sandbox-faults.js';
import { planBody, sendBody, sendFault } from './send-body.js';

const PATH = '/v1/:exchange/:dataType/:year/:month/:day/:name';

interface DatasetHostOptions {
  readonly archive: Archive;
  readonly faults: FaultChooser;
  /** Access of the key; undefined for everything. */
  readonly keyAccess: readonly SandboxKeyAccess[] | undefined;
  readonly retryAfterSeconds: number;
  /** Creates the signed address to redirect to; undefined if files are sent directly. */
  readonly sign: SignedObjectHost['sign'] | undefined;
}

/** The dataset host (`docs/spec/datasets-api.md#day-file`): GET only, without ranges. */
export function createDatasetHost(options: DatasetHostOptions): SandboxHandler {
  const { keyAccess } = options;
  const sendNotFound: SandboxHandler = (call) =>
    sendSandboxError(call, 404, 404, `There is nothing at ${parseTarget(call).pathname}`);
  const dayFile = route('GET', PATH, async (call, params) => {
    const { pathname } = parseTarget(call);
    const file = parseDayFile(params);
    if (!file) return sendNotFound(call);
    if (!isAuthorized(call, file.day)) return sendKeyRefusal(call);
    if (keyAccess && !isFirstDayOfMonth(file.day) && !isFileAllowed(keyAccess, file)) {
      if (keyAccess.length === 0) return sendKeyRefusal(call);
      return sendSandboxError(call, 403, 403, 'Your API key has no access to this data');
    }
    const symbol = options.archive.exchanges
      .find(({ id }) => id === file.exchange)
      ?.datasets?.symbols.find(({ id }) => id === file.symbol);
    if (!symbol?.dataTypes.includes(file.dataType)) {
      return sendSandboxError(
        call,
        400,
        300,
        `'${file.symbol}' with '${file.dataType}' is not in the archive of ${file.exchange}`,
      );
    }
    const content = isAvailableOn(symbol, file.day) ? await options.archive.open(file) : undefined;
    if (!content) return sendSandboxError(call, 400, 140, `Data for that day is not available: ${pathname}`);
    return serveDayFile(call, pathname, content, options);
  });
  return createRouter([dayFile], sendNotFound);
}

async function serveDayFile(
  call: SandboxCall,
  path: string,
  content: GzipContent,
  options: DatasetHostOptions,
): Promise<void> {
  const fault = options.faults.next(path, (kind) => kind !== 'not-json');
  if (await sendFault(call, fault, options.retryAfterSeconds)) return;
  const plan = planBody(fault, content.bytes);
  const headers = {
    ...(plan.announced === undefined ? {} : { 'x-dataset-size': plan.announced }),
    'x-md5': `"${fault === 'wrong-md5' ? createWrongMd5(content.md5) : content.md5}"`,
  };
  if (options.sign) {
    const location = options.sign(path, content, fault);
    await startResponse(call, 302, { ...headers, Location: location, 'Content-Length': 0 }, fault);
    call.response.end();
    return;
  }
  const length = plan.announced === undefined ? {} : { 'Content-Length': plan.announced };
  await startResponse(call, 200, { 'Content-Type': 'application/gzip', ...length, ...headers }, fault);
  await sendBody(call, content, 0, plan);
}

/** The day file of a path; undefined if there can be none. */
function parseDayFile(
  params: Readonly<Record<'exchange' | 'dataType' | 'year' | 'month' | 'day' | 'name', string>>,
): DayFile | undefined {
  const symbol = /^(.+)\.csv\.gz$/.exec(params.name)?.[1];
  if (symbol === undefined) return undefined;
  try {
    return {
      exchange: decodeURIComponent(params.exchange),
      dataType: decodeURIComponent(params.dataType),
      symbol: decodeURIComponent(symbol),
      day: parseDay(`${params.year}-${params.month}-${params.day}`),
    };
  } catch {
    return undefined;
  }
}

/** The MD5 with its first digit changed. */
function createWrongMd5(md5: string): string {
  return `${md5.startsWith('0') ? '1' : '0'}${md5.slice(1)}`;
}

const SIGNATURE_LIFE_MS = 60_000;

interface SignedObject {
  readonly content: GzipContent;
  readonly fault: FaultKind | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** The second origin, to which the dataset host redirects. */
export interface SignedObjectHost {
  /** Returns the path and query at which the content is available for one minute. */
  sign(path: string, content: GzipContent, fault: FaultKind | undefined): string;
  readonly handle: SandboxHandler;
}

export function createSignedObjectHost(): SignedObjectHost {
  const secret = randomBytes(16);
  const signed = new Map<string, SignedObject>();
  let count = 0;
  return {
    sign: (path, content, fault) => {
      forgetExpired(signed);
      const expiresMs = Date.now() + SIGNATURE_LIFE_MS;
      const signature = createHmac('sha256', secret).update(`${path} ${expiresMs} ${count++}`).digest('hex');
      signed.set(`${path} ${signature}`, { content, fault, expiresMs });
      return `${path}?X-Expires=${expiresMs}&X-Signature=${signature}`;
    },
    handle: async (call) => {
      const { pathname, searchParams } = parseTarget(call);
      const object = signed.get(`${pathname} ${searchParams.get('X-Signature')}`);
      if (call.request.method !== 'GET' || !object || object.expiresMs < Date.now()) {
        const text = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';
        return sendText(call, 403, 'application/xml', text);
      }
      return serveObject(call, object);
    },
  };
}

/** Sends the whole object, or the requested range of it (RFC 9110, sections 13.1.5, 14 and 15.3.7). */
async function serveObject(call: SandboxCall, { content, fault }: SignedObject): Promise<void> {
  const etag = `"${content.md5}"`;
  const { range: rangeHeader, 'if-range': ifRange } = call.request.headers;
  const usedRange = ifRange === undefined || ifRange === etag ? rangeHeader : undefined;
  const range = parseRange(usedRange, content.bytes);
  const common = { 'Accept-Ranges': 'bytes', ETag: etag };
  if (range === 'unsatisfiable') {
    const headers = { ...common, 'Content-Range': `bytes */${content.bytes}` };
    return sendText(call, 416, 'application/xml', '<Error><Code>InvalidRange</Code></Error>', headers);
  }
  const { start, end } = range ?? { start: 0, end: content.bytes };
  const plan = planBody(fault, end - start);
  const headers = {
    'Content-Type': 'application/gzip',
    ...common,
    ...(plan.announced === undefined ? {} : { 'Content-Length': plan.announced }),
    ...(range ? { 'Content-Range': `bytes ${start}-${end - 1}/${content.bytes}` } : {}),
  };
  await startResponse(call, range ? 206 : 200, headers, fault);
  await sendBody(call, content, start, plan);
}

function forgetExpired(signed: Map<string, SignedObject>): void {
  const now = Date.now();
  for (const [key, { expiresMs }] of signed) {
    // Entries are in the order of their expiry.
    if (expiresMs >= now) return;
    signed.delete(key);
  }
}

/** A byte range; `end` is not included. */
interface HttpRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header with a single range (RFC 9110, section 14.1.2) for a size in bytes.
 * @returns undefined for the whole content, if there is no header or it has another form; `unsatisfiable` if the range
 * starts after the end.
 */
function parseRange(header: string | undefined, size: number): HttpRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size) return 'unsatisfiable';
  return end <= start ? undefined : { start, end };
}
