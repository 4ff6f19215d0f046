import { createHash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { RowAuditInput } from '../../audit/audit-file.js';
import type { RowAuditResult } from '../../audit/audit-log.js';
import { abortReason, type TickhaulError } from '../../base/errors.js';
import { serveTasks } from '../../base/serve-tasks.js';
import { type Conversion, type ConversionResult, startConversion } from '../../convert/conversion.js';
import { createLocalKernels } from '../../convert/threads/local-kernel.js';
import type { Day } from '../../day-files/day.js';
import type { OutputOptions } from '../../format/output-format.js';
import type { FileChecksums } from '../../gzip/verify-file.js';
import type { ComputedType } from '../../market/message-type-name.js';
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

/** Message to a job: the next text, whose buffer is returned as an event, or its end. */
export type TextJobMessage =
  | { readonly text: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly source: SourceChecksum };

/** A published output. */
export interface ConvertedOutput extends Pick<ConversionResult, 'rows' | 'bytes' | 'warning'> {
  readonly sha256: string;
  /** Version of the object in a store. */
  readonly object?: StoredVersion | undefined;
}

export interface TextJobResult {
  /** Of a conversion, in the order of its outputs. */
  readonly outputs?: readonly ConvertedOutput[] | undefined;
  /** Of an audit. */
  readonly audited?: RowAuditResult | undefined;
}

/** One use of the text of a day file. If it fails, other uses of the text go on. */
export interface TextTask<T> {
  /** All of them get the whole text. */
  createJobs(): readonly TextJob[];
  /**
   * Called after the source was verified and published.
   * @param results in the order of the jobs; those after the first failed one are missing.
   */
  finish(
    results: readonly TextJobResult[],
    failure: TickhaulError | undefined,
    proof: FileChecksums,
  ): Promise<T>;
}

type SourceChecksum = Parameters<Conversion['finish']>[0];

interface RunningConversion extends Pick<Conversion, 'write' | 'abort'> {
  finish(source: SourceChecksum): Promise<TextJobResult>;
}

const files = openFiles(workerData as StoreSettings);

serveTasks<TextJob, TextJobResult, Uint8Array<ArrayBuffer>, TextJobMessage>(
  async (job, { emit, messages, signal }) => {
    const conversion = 'audit' in job ? await createAudit(job.audit) : await createConversion(job, signal);
    try {
      for (let message = await messages.next(); message && !signal.aborted; message = await messages.next()) {
        if ('source' in message) return await conversion.finish(message.source);
        await conversion.write(message.text.subarray(0, message.length));
        emit(message.text, [message.text.buffer]);
      }
      throw abortReason(signal);
    } finally {
      await conversion.abort();
    }
  },
);

async function createConversion(
  { outputs, ...job }: ConversionJob,
  signal: AbortSignal,
): Promise<RunningConversion> {
  const opened = await openOutputs(outputs, signal);
  const toConvertedOutputs = (results: readonly ConversionResult[]): TextJobResult => ({
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
  const { TextAudit } = await import('../../audit/audit-file.js');
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
