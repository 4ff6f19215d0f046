import { setTimeout as sleep } from 'node:timers/promises';
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
import type { FaultChooser } from './sandbox-faults.js';
import { isErrorFault, planBody, sendBody, sendErrorFault } from './send-body.js';
import type { SignedObjectHost } from './signed-object-host.js';

const PATH = '/v1/:exchange/:dataType/:year/:month/:day/:name';

const SLOW_START_MS = 1000;

export interface DatasetHostOptions {
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
    return serve(call, pathname, content, options);
  });
  return createRouter([dayFile], sendNotFound);
}

async function serve(
  call: SandboxCall,
  path: string,
  content: GzipContent,
  options: DatasetHostOptions,
): Promise<void> {
  const fault = options.faults.next(path, (kind) => kind !== 'not-json');
  if (fault && isErrorFault(fault)) return sendErrorFault(call, fault, options.retryAfterSeconds);
  if (fault === 'slow-start') await sleep(SLOW_START_MS, undefined, { signal: call.settings.signal });
  if (fault === 'html') {
    return sendText(call, 200, 'text/html', '<!doctype html><title>Please sign in</title>', {}, fault);
  }
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
