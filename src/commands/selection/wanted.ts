import { usageError } from '../../base/errors.js';
import { type ListPlan, type PlacedFiles, planList } from '../../download/lists/listed-plan.js';
import { openPlan } from '../../download/open-plan.js';
import type { Plan } from '../../download/plan/plan.js';
import { scopesOfList } from '../../download/plan/survey.js';
import type { DownloadOptions, Selection } from '../../download/types.js';
import type { EventSink } from '../../run/events.js';
import { fetchKeyReach } from '../../service/key/key-coverage.js';
import type { ExchangeRecord } from '../../service/records/metadata.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { Args } from '../arguments/args.js';
import type { Host } from '../host.js';
import type { Session } from '../session.js';
import { type FileList, readFileList } from './file-lists.js';
import { readPinned } from './pinned.js';
import { readDownloadOptions, readSelection } from './selection.js';

/** What `plan` and `download` are about: what a selection names, a pinned one too, or the day files of a list. */
export interface Wanted {
  readonly selection?: Selection | undefined;
  /** The exchange's record as it was pinned with the selection. */
  readonly record?: ExchangeRecord | undefined;
  readonly list?: FileList | undefined;
}

/** @throws usage error for what isn't right in flags or list, before anything is asked for. */
export async function readWanted(args: Args, host: Host, command: string): Promise<Wanted> {
  const list = await readFileList(args, host);
  if (list) return { list };
  const pinned = await readPinned(args, host);
  if (pinned) return pinned;
  if (args['exchange'] === undefined) {
    throw usageError(
      `an argument is missing: tickhaul ${command} <exchange>; see tickhaul ${command} --help`,
    );
  }
  return { selection: await readSelection(args, host.signal) };
}

/** How to transfer: what a lock file names is read where it is there, unless that is said otherwise. */
export function optionsFor({ list }: Wanted, args: Args): DownloadOptions {
  const options = readDownloadOptions(args);
  return list?.isFrozen && args['existing'] === undefined ? { ...options, existing: 'verify' } : options;
}

export interface OpenInput {
  readonly session: Session;
  readonly destination: Destination;
  readonly options: DownloadOptions;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface OpenedPlan {
  readonly plan: Plan | ListPlan;
  /** What a plan of a selection was made from. */
  readonly record?: ExchangeRecord | undefined;
  readonly manifest: Manifest;
  /** Whether the API key has expired. */
  readonly keyExpired: boolean;
}

/** Works out what is wanted against the service's record, where it is a selection, and what stands on disk. */
export async function openWanted(
  { selection, record, list }: Wanted,
  { session: { client, settings }, destination, options, emit, signal }: OpenInput,
): Promise<OpenedPlan> {
  if (selection)
    return openPlan({
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
  const manifest = await destination.openManifest({ warn, signal }, scopesOfList(files.values()));
  const { mayRead, keyExpired } = await fetchKeyReach(client, signal, warn);
  const plan = await planList({ files, manifest, destination, options, mayRead, signal });
  for (const message of plan.warnings) warn(message);
  return { plan, manifest, keyExpired };
}
