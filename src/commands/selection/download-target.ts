import { usageError } from '../../base/errors.js';
import type { DownloadOptions, Selection } from '../../download/download-options.js';
import { type ListPlan, type PlacedFiles, planList } from '../../download/lists/listed-plan.js';
import { openDownloadPlan } from '../../download/open-download-plan.js';
import type { DownloadPlan } from '../../download/plan/create-download-plan.js';
import { listScopesOfFiles } from '../../download/plan/plan-prefixes.js';
import type { EventSink } from '../../run/run-events.js';
import { fetchKeyCoverage } from '../../service/key/key-coverage.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { CommandArgs } from '../arguments/command-args.js';
import type { CommandHost } from '../command-host.js';
import type { ServiceSession } from '../service-session.js';
import { type FileList, readFileList } from './read-file-list.js';
import { readPinnedPlan } from './read-pinned-plan.js';
import { readDownloadOptions, readSelection } from './read-selection.js';

/** What `planCommand` and `downloadCommand` are about: what a selection names, a pinned one too, or the day files of a list. */
export interface DownloadTarget {
  readonly selection?: Selection | undefined;
  /** The exchange's record as it was pinned with the selection. */
  readonly record?: ExchangeRecord | undefined;
  readonly list?: FileList | undefined;
}

/** @throws usage error for what isn't right in flags or list, before anything is asked for. */
export async function readDownloadTarget(
  args: CommandArgs,
  host: CommandHost,
  command: string,
): Promise<DownloadTarget> {
  const list = await readFileList(args, host);
  if (list) return { list };
  const pinned = await readPinnedPlan(args, host);
  if (pinned) return pinned;
  if (args['exchange'] === undefined) {
    throw usageError(
      `an argument is missing: tickhaul ${command} <exchange>; see tickhaul ${command} --help`,
    );
  }
  return { selection: await readSelection(args, host.signal) };
}

/** How to transfer: what a lock file names is read where it is there, unless that is said otherwise. */
export function createDownloadOptions({ list }: DownloadTarget, args: CommandArgs): DownloadOptions {
  const options = readDownloadOptions(args);
  return list?.isFrozen && args['existing'] === undefined ? { ...options, existing: 'verify' } : options;
}

export interface OpenTargetInput {
  readonly session: ServiceSession;
  readonly destination: Destination;
  readonly options: DownloadOptions;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface OpenedTarget {
  readonly plan: DownloadPlan | ListPlan;
  /** What a plan of a selection was made from. */
  readonly record?: ExchangeRecord | undefined;
  readonly manifest: Manifest;
  /** Whether the API key has expired. */
  readonly keyExpired: boolean;
}

/** Works out what is wanted against the service's record, where it is a selection, and what stands on disk. */
export async function openDownloadTarget(
  { selection, record, list }: DownloadTarget,
  { session: { client, settings }, destination, options, emit, signal }: OpenTargetInput,
): Promise<OpenedTarget> {
  if (selection)
    return openDownloadPlan({
      client,
      cache: settings.cacheDir,
      destination,
      selection,
      record,
      options,
      emit,
      signal,
    });
  const warn = (message: string): void => emit({ event: 'warning', message });
  const files: PlacedFiles = list?.files ?? new Map();
  const manifest = await destination.openManifest({ warn, signal }, listScopesOfFiles(files.values()));
  const { canRequest, keyExpired } = await fetchKeyCoverage(client, signal, warn);
  const plan = await planList({ files, manifest, destination, options, mayRead: canRequest, signal });
  for (const message of plan.warnings) warn(message);
  return { plan, manifest, keyExpired };
}
