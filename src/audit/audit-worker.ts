import { workerData } from 'node:worker_threads';
import { serveTasks } from '../base/serve-tasks.js';
import type { StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { type AuditJob, type AuditJobResult, auditFile } from './audit-file.js';

/** Bytes of a job that were just read, and the size of its file. */
export type AuditedBytes = readonly [count: number, total: number];

const store = workerData as StoreSettings | undefined;
const files = openFiles(store);

serveTasks<AuditJob, AuditJobResult, AuditedBytes>((job, { emit, signal }) =>
  auditFile(job, { files, store }, (count, total) => emit([count, total]), signal),
);
