import { usageError } from '../../base/errors.js';
import type { DownloadSettings, RequestedSelection } from '../../download/download-options.js';
import { openDownloadPlan } from '../../download/open-download-plan.js';
import type { DownloadPlan } from '../../download/plan/create-download-plan.js';
import { type ListPlan, type PlacedFiles, planList } from '../../download/plan/listed-plan.js';
import { listScopesOfFiles } from '../../download/plan/plan-prefixes.js';
import type { KeyProblem } from '../../events/exit-reasons.js';
import type { EventSink } from '../../events/run-events.js';
import type { ExportSetting } from '../../export/export-target.js';
import { fetchKeyCoverage } from '../../service/key-coverage.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { Context } from '../context.js';
import { type FileList, type ListedOptions, readFileList } from './read-file-list.js';
import { readPinnedPlan } from './read-pinned-plan.js';
import { type DownloadValues, readDownloadOptions, readSelection } from './read-selection.js';

/** What `plan` and `download` fetch: a selection, possibly pinned, or the day files of a list. */
export interface DownloadTarget {
  readonly selection?: RequestedSelection | undefined;
  /** The exchange record that was pinned with the selection. */
  readonly record?: ExchangeRecord | undefined;
  readonly list?: FileList | undefined;
}

/** @throws usage error for invalid flags or an invalid list, before any request. */
export async function readDownloadTarget(
  options: ListedOptions,
  context: Context,
  command: string,
): Promise<DownloadTarget> {
  const list = await readFileList(options, context);
  if (list) return { list };
  const pinned = await readPinnedPlan(options, context);
  if (pinned) return pinned;
  if (options.exchange === undefined) {
    throw usageError(
      `an argument is missing: tickhaul ${command} <exchange>; see tickhaul ${command} --help`,
    );
  }
  return { selection: await readSelection(options, context.signal) };
}

/** Transfer options; with a lock file, existing files are verified unless `--existing` is given. */
export function createDownloadSettings({ list }: DownloadTarget, options: DownloadValues): DownloadSettings {
  const settings = readDownloadOptions(options);
  return list?.isFrozen && !options.given.has('existing') ? { ...settings, existing: 'verify' } : settings;
}

export interface OpenTargetInput {
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache?: string | undefined;
  readonly destination: Destination;
  readonly options: DownloadSettings;
  /** The export that follows the download. */
  readonly exportSetting?: ExportSetting | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface OpenedTarget {
  readonly plan: DownloadPlan | ListPlan;
  /** The exchange record that a selection was planned from. */
  readonly record?: ExchangeRecord | undefined;
  readonly manifest: Manifest;
  /** Why the API key covers no day but the free ones. */
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Plans the target against the service's record (for a selection) and the existing files.
 * @throws usage error for a selection that the record does not have, and for an export whose settings contradict it.
 */
export async function openDownloadTarget(
  target: DownloadTarget,
  input: OpenTargetInput,
): Promise<OpenedTarget> {
  const opened = await openPlan(target, input);
  if (!input.exportSetting) return opened;
  const { checkExport, listStartDays } = await import('../../export/export-targets.js');
  const files =
    'series' in opened.plan
      ? listStartDays(opened.plan)
      : [...(target.list?.files.values() ?? [])].map(({ file }) => file);
  try {
    await checkExport(input.exportSetting, files);
    return opened;
  } catch (error) {
    await opened.manifest.close();
    throw error;
  }
}

async function openPlan(
  { selection, record, list }: DownloadTarget,
  { client, cache, destination, options, emit, signal }: OpenTargetInput,
): Promise<OpenedTarget> {
  if (selection)
    return openDownloadPlan({
      client,
      cache,
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
  const { canRequest, keyProblem } = await fetchKeyCoverage(client, signal, warn);
  const mayRead = canRequest;
  const plan = await planList({ files, manifest, destination, options, warn, mayRead, signal });
  for (const message of [...(list?.warnings ?? []), ...plan.warnings]) warn(message);
  return { plan, manifest, keyProblem };
}
