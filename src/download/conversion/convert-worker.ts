import { createHash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { RowAuditResult } from '../../audit/audit-record.js';
import type { RowAuditInput } from '../../audit/row-audit.js';
import { serveJobs } from '../../base/serve-jobs.js';
import { type Conversion, type ConversionResult, startConversion } from '../../convert/conversion.js';
import { createLocalKernels } from '../../convert/threads/local-kernel.js';
import type { Day } from '../../dataset/day.js';
import type { OutputOptions } from '../../format/output-format.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import type { PartFile, StoredVersion, StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';

/** Input of a conversion. */
export interface ConversionJob {
  /** The source's path, for messages and for the metadata of the output. */
  readonly path: string;
  readonly dataType: string;
  readonly day: Day;
  readonly options: OutputOptions;
  /** Either the rows alone, or at least one computed type. */
  readonly outputs: readonly ConversionTarget[];
}

/** What to do with the text of a day file: one conversion, or an audit. */
export type TextJob = ConversionJob | { readonly audit: RowAuditInput };

export interface ConversionTarget {
  /** Undefined for the rows. */
  readonly type: ComputedType | undefined;
  /** Location of the output, and the path of its part file if the target is on a disk. */
  readonly target: string;
  readonly part: string;
}

/**
 * Command to a conversion thread. A thread runs many conversions; commands of one conversion run in order.
 */
export type ConvertCommand = { readonly id: number } & (
  | { readonly order: 'begin'; readonly job: TextJob }
  | { readonly order: 'text'; readonly text: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly order: 'finish'; readonly source: SourceChecksum }
  | { readonly order: 'abort' }
);

/** An output that was published by `finish`. */
export interface ConvertedOutput extends Pick<ConversionResult, 'rows' | 'bytes' | 'warning'> {
  readonly sha256: string;
  /** Version of the object in a store. */
  readonly object?: StoredVersion | undefined;
}

/** Result of one command. */
export interface ConvertCommandResult {
  /** Result of `finish` of a conversion. */
  readonly outputs?: readonly ConvertedOutput[] | undefined;
  /** Result of `finish` of an audit. */
  readonly audited?: RowAuditResult | undefined;
  /** Buffer of the received text, for reuse. */
  readonly text?: Uint8Array<ArrayBuffer> | undefined;
}

type SourceChecksum = Parameters<Conversion['finish']>[0];

interface RunningConversion extends Pick<Conversion, 'write' | 'abort'> {
  finish(source: SourceChecksum): Promise<ConvertCommandResult>;
}

const files = openFiles(workerData as StoreSettings);

const runningConversions = new Map<number, RunningConversion>();
/** The last command of each conversion; the next one waits for it. */
const lastCommands = new Map<number, Promise<unknown>>();
/** Abort a conversion's uploads to a store. */
const abortControllers = new Map<number, AbortController>();

serveJobs<ConvertCommand, ConvertCommandResult>(
  (command) => {
    const { id } = command;
    // Earlier commands may be waiting for a store that does not respond.
    if (command.order === 'abort') abortControllers.get(id)?.abort();
    const previous = lastCommands.get(id) ?? Promise.resolve();
    const result = previous.then(() => executeCommand(command));
    lastCommands.set(
      id,
      result.catch(() => {}),
    );
    return result;
  },
  ({ text }) => (text ? [text.buffer] : []),
);

async function executeCommand(command: ConvertCommand): Promise<ConvertCommandResult> {
  try {
    return await runCommand(command);
  } catch (error) {
    await endConversion(command.id);
    throw error;
  }
}

/** Ignores commands to a failed conversion: some are in flight when it fails. */
async function runCommand(command: ConvertCommand): Promise<ConvertCommandResult> {
  const { id, order } = command;
  const conversion = runningConversions.get(id);
  switch (order) {
    case 'begin': {
      const stop = new AbortController();
      abortControllers.set(id, stop);
      const { job } = command;
      runningConversions.set(
        id,
        'audit' in job ? await createAudit(job.audit) : await createConversion(job, stop.signal),
      );
      return {};
    }
    case 'text':
      await conversion?.write(command.text.subarray(0, command.length));
      return { text: command.text };
    case 'finish':
      return (await conversion?.finish(command.source)) ?? {};
    case 'abort':
      await endConversion(id);
      // Abort is the last command of a conversion.
      lastCommands.delete(id);
      return {};
  }
}

async function createConversion(
  { outputs, ...job }: ConversionJob,
  signal: AbortSignal,
): Promise<RunningConversion> {
  const opened = await openOutputs(outputs, signal);
  const toConvertedOutputs = (results: readonly ConversionResult[]): ConvertCommandResult => ({
    outputs: results.map(({ rows, bytes, warning }, i) => ({
      rows,
      bytes,
      warning,
      sha256: '',
      ...opened[i]?.end(),
    })),
  });
  const computed = opened.flatMap(({ type, file }) => (type ? [{ type, file }] : []));
  const [first] = opened;
  if (first && computed.length === 0) {
    const conversion = startConversion({ ...job, output: first.file, kernels: createLocalKernels(true) });
    return { ...conversion, finish: async (source) => toConvertedOutputs([await conversion.finish(source)]) };
  }
  const { startComputedConversion } = await import('../../convert/computed/computed-conversion.js');
  const conversion = startComputedConversion({ ...job, outputs: computed });
  return { ...conversion, finish: async (source) => toConvertedOutputs(await conversion.finish(source)) };
}

async function createAudit(input: RowAuditInput): Promise<RunningConversion> {
  const { TextAudit } = await import('../../audit/row-audit.js');
  const audit = new TextAudit(input);
  return {
    write: async ({ buffer, byteOffset, length }) => audit.push(Buffer.from(buffer, byteOffset, length)),
    finish: async () => ({ audited: audit.end() }),
    abort: async () => {},
  };
}

interface HashedFile {
  readonly type: ComputedType | undefined;
  readonly file: PartFile;
  /** Checksum and object of the published file; call it once. */
  readonly end: () => Pick<ConvertedOutput, 'sha256' | 'object'>;
}

/** Opens all outputs, or none. @throws like `Files.openPart`. */
async function openOutputs(
  outputs: readonly ConversionTarget[],
  signal: AbortSignal,
): Promise<readonly HashedFile[]> {
  const opened: HashedFile[] = [];
  try {
    for (const { type, target, part } of outputs) {
      opened.push({ type, ...createHashedFile(await files.openPart(target, part, signal)) });
    }
    return opened;
  } catch (error) {
    for (const { file } of opened) await file.discard();
    throw error;
  }
}

function createHashedFile(output: PartFile): Omit<HashedFile, 'type'> {
  const hash = createHash('sha256');
  let object: StoredVersion | undefined;
  const file: PartFile = {
    ...output,
    async write(piece) {
      hash.update(piece);
      await output.write(piece);
    },
    async publish() {
      object = await output.publish();
      return object;
    },
  };
  return { file, end: () => ({ sha256: hash.digest('hex'), ...(object && { object }) }) };
}

async function endConversion(id: number): Promise<void> {
  const conversion = runningConversions.get(id);
  runningConversions.delete(id);
  abortControllers.delete(id);
  await conversion?.abort();
}
