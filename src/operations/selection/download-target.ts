import { usageError } from '../../base/errors.js';
import { describeColumnKeys, parseLayout } from '../../day-files/layout.js';
import type { DownloadSettings, RequestedSelection } from '../../download/download-options.js';
import { createDownloadPlan, type DownloadPlan } from '../../download/plan/create-download-plan.js';
import {
  type ListPlan,
  type PlacedFiles,
  parseFileList,
  placeFiles,
  planList,
} from '../../download/plan/listed-plan.js';
import type { PinnedPlan } from '../../download/plan/pinned-plan.js';
import { listScopesOfFiles, selectionScope } from '../../download/plan/plan-prefixes.js';
import { assertAvailable } from '../../download/plan/select-series.js';
import type { EventSink } from '../../events/run-events.js';
import type { KeyProblem } from '../../events/run-tally.js';
import type { ExportSetting } from '../../export/export-target.js';
import {
  EXCHANGE_ARGUMENT,
  type LAYOUT_OPTIONS,
  LIST_OPTIONS,
  type PIN_OPTIONS,
  SELECTION_OPTIONS,
} from '../../options/day-file-options.js';
import type { GivenFlags, ReadOptions } from '../../options/option-values.js';
import { fetchKeyCoverage } from '../../service/key-coverage.js';
import { type ExchangeRecord, FIELDS, fetchRecord } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { Destination } from '../../store/destination.js';
import { readTextAt } from '../../store/files.js';
import { isObjectLocation } from '../../store/location.js';
import { parseLockFile } from '../../store/lock-file.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { CommandHost } from '../command-host.js';
import type { Context } from '../context.js';
import { MAX_TEXT_BYTES, readStdin, readUserFile } from '../read-user-file.js';
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

interface OpenTargetInput {
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
  const { checkExport, listStartDays } = await import('../../export/export-files.js');
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

function openPlan(
  { selection, record, list }: DownloadTarget,
  input: OpenTargetInput,
): Promise<OpenedTarget> {
  const warn = (message: string): void => input.emit({ event: 'warning', message });
  return selection ? openSelection(selection, record, input, warn) : openList(list, input, warn);
}

/** @throws TickhaulError `unavailable` or `not_exported` if no selected day can have a day file. */
async function openSelection(
  selection: RequestedSelection,
  pinned: ExchangeRecord | undefined,
  { client, cache, destination, options, signal }: OpenTargetInput,
  warn: (message: string) => void,
): Promise<OpenedTarget> {
  const [record, { canRequest, keyProblem }] = await Promise.all([
    pinned ?? fetchRecord(client, selection.exchange, FIELDS.plan, { cache, signal }),
    fetchKeyCoverage(client, signal, warn),
  ]);
  const manifest = await destination.openManifest({ warn, signal }, selectionScope(selection, record));
  const mayRead = canRequest;
  const planned = { selection, record, manifest, destination, options, warn, mayRead, signal };
  const plan = await createDownloadPlan(planned);
  try {
    assertAvailable(plan, record, Date.now());
  } catch (error) {
    await manifest.close();
    throw error;
  }
  for (const message of plan.warnings) warn(message);
  return { plan, record, manifest, keyProblem };
}

async function openList(
  list: FileList | undefined,
  { client, destination, options, signal }: OpenTargetInput,
  warn: (message: string) => void,
): Promise<OpenedTarget> {
  const files: PlacedFiles = list?.files ?? new Map();
  const manifest = await destination.openManifest({ warn, signal }, listScopesOfFiles(files.values()));
  const { canRequest, keyProblem } = await fetchKeyCoverage(client, signal, warn);
  const mayRead = canRequest;
  const plan = await planList({ files, manifest, destination, options, warn, mayRead, signal });
  for (const message of [...(list?.warnings ?? []), ...plan.warnings]) warn(message);
  return { plan, manifest, keyProblem };
}

/** Day files named by a file, instead of a selection. */
interface FileList {
  readonly files: PlacedFiles;
  /** Whether the folder must hold exactly these files, byte for byte. */
  readonly isFrozen: boolean;
  /** Warnings about the layout. */
  readonly warnings: readonly string[];
}

const SELECTED = { ...EXCHANGE_ARGUMENT, ...SELECTION_OPTIONS } as const;
/** Arguments and flags that select day files. */
const SELECTION_FLAGS = Object.keys(SELECTED) as (keyof typeof SELECTED)[];
/** Flags that instead name a file listing the day files. */
const LIST_FLAGS = Object.keys(LIST_OPTIONS) as (keyof typeof LIST_OPTIONS)[];

/** The options that name day files, or a file that lists them; a command may lack some. */
type ListedOptions = Partial<Omit<ReadOptions<typeof LIST_OPTIONS>, 'given'>> &
  ReadOptions<typeof SELECTED & typeof LAYOUT_OPTIONS>;

/**
 * The files of `--from-file` or `--frozen`; undefined if both are absent.
 * @throws usage error if both are given, if a selection is given too, and for invalid contents.
 */
async function readFileList(
  options: ListedOptions,
  { stdin, signal }: Pick<CommandHost, 'stdin' | 'signal'>,
): Promise<FileList | undefined> {
  const { fromFile: list, frozen: lock } = options;
  if (list === undefined && lock === undefined) return undefined;
  const flag = list === undefined ? 'frozen' : 'from-file';
  assertNoOtherFlags(options, flag, lock === undefined ? ['pin'] : ['layout', 'pin']);
  if (list !== undefined) {
    const content =
      list === '-' ? await readStdin(stdin, '--from-file', signal) : await readListFile(list, flag, signal);
    // A failed command before the pipe sends nothing, which must not pass as an empty list.
    if (list === '-' && content.trim() === '') throw usageError('--from-file -: the list on stdin is empty');
    const files = parseFileList(content, list === '-' ? 'stdin' : list);
    const layout = options.given.has('layout') ? options.layout : undefined;
    const warnings = layout === undefined ? [] : describeColumnKeys(parseLayout(layout));
    return { files: placeFiles(files, layout), isFrozen: false, warnings };
  }
  const locked = parseLockFile(await readListFile(lock ?? '', flag, signal), lock ?? '');
  const files = locked.map(({ file, path, bytes, sha256 }) => ({ file, path, expected: { bytes, sha256 } }));
  return { files: placeFiles(files, undefined), isFrozen: true, warnings: [] };
}

/**
 * Checks that a flag naming the files is not combined with a selection.
 * @param conflictingFlags further flags whose values the file already has.
 * @throws usage error.
 */
function assertNoOtherFlags(
  { given, exchange }: ListedOptions,
  flag: string,
  conflictingFlags: readonly (keyof typeof LAYOUT_OPTIONS | keyof typeof PIN_OPTIONS)[],
): void {
  const isGiven = (name: string): boolean => (given as GivenFlags).has(name);
  const otherListFlag = LIST_FLAGS.find((name) => name !== flag && isGiven(name));
  if (otherListFlag !== undefined) throw usageError(`--${flag} and --${otherListFlag}: use only one of them`);
  const other = [...SELECTION_FLAGS, ...conflictingFlags].find(isGiven);
  if (other === undefined) return;
  const named = other === 'exchange' ? `"${exchange}"` : `--${other}`;
  throw usageError(`--${flag} names the files; leave ${named} out`);
}

function readListFile(path: string, flag: string, signal: AbortSignal): Promise<string> {
  return readUserFile({ name: `--${flag}`, what: 'the file', path }, MAX_TEXT_BYTES.list, signal);
}

/**
 * The plan of `--pinned`; undefined if it is absent.
 * @throws usage error if a selection or a layout is given too, and for a file that `plan --pin` did not write.
 */
async function readPinnedPlan(options: ListedOptions, context: Context): Promise<PinnedPlan | undefined> {
  const location = options.pinned;
  if (location === undefined) return undefined;
  assertNoOtherFlags(options, 'pinned', ['layout', 'pin']);
  const text = isObjectLocation(location)
    ? await readObject(location, context)
    : await readUserFile(
        { name: '--pinned', what: 'the file', path: location },
        MAX_TEXT_BYTES.list,
        context.signal,
      );
  const { parsePin } = await import('../../download/plan/pinned-plan.js');
  return parsePin(text, location);
}

async function readObject(location: string, context: Context): Promise<string> {
  const text = await readTextAt(await context.files(), location, context.signal);
  if (text === undefined) throw usageError(`--pinned: there is no ${location}`);
  return text;
}
