import type { FileError } from '../../base/file-error.js';
import { plural } from '../../base/units.js';
import type { FileStatus } from '../../run/run-events.js';
import type { CheckResult, ExpectedFile, FileCheck, FileObservation } from '../file-check.js';
import type { OutputProvenance } from './output-provenance.js';

/** What is wrong with a file that was looked at; undefined for nothing. */
export function findFileError(
  check: FileCheck,
  sight: CheckResult,
  making?: OutputProvenance,
): FileError | undefined {
  const { error, observation } = sight;
  if (error) return addPath(check, error);
  if (!observation) return undefined;
  const { expected, record } = check;
  const message =
    (expected && compareWithRecord(observation, expected)) ??
    (making && compareWithProvenance(observation, { ...making, record: record ?? making.record }));
  return message === undefined ? undefined : addPath(check, { code: 'corrupt', message });
}

/** The status of a file with this error. */
export function errorToFileStatus(error: FileError): FileStatus {
  if (error.code === 'missing') return 'missing';
  return error.code === 'corrupt' || error.code === 'changed' ? 'corrupt' : 'failed';
}

function compareWithRecord({ sha256, rows }: FileObservation, expected: ExpectedFile): string | undefined {
  if (sha256 !== undefined && sha256 !== expected.sha256) return 'its sha256 is not the recorded one';
  if (rows !== expected.rows) return `has ${plural(rows, 'row')}, ${expected.rows} were recorded`;
  return undefined;
}

function compareWithProvenance({ bytes, rows }: FileObservation, making: OutputProvenance): string | undefined {
  const { source, record } = making;
  if (rows !== making.rows) return `has ${plural(rows, 'row')}, ${making.rows} were written`;
  if (making.bytes >= 0 && bytes !== making.bytes)
    return `has ${plural(bytes, 'byte')}, ${making.bytes} were written`;
  if (!record || record.md5 === source.md5) return undefined;
  return `was made of other bytes than ${record.path} holds now; convert that again`;
}

/** The message begins with the file's path. */
function addPath({ path }: FileCheck, error: FileError): FileError {
  return error.message.includes(path) ? error : { ...error, message: `${path}: ${error.message}` };
}
