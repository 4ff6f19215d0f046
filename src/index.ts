/** tickhaul as a library: the same steps and events that the command line is made of. */

export { type Day, formatDay, parseDay } from './dataset/day.js';
export type { DayFile } from './dataset/day-file.js';
export { type DownloadInput, download, openPlan } from './download/run.js';
export type { DownloadOptions, PlannedFile, Selection } from './download/types.js';
export { ERRORS, type ErrorCode, TickhaulError } from './errors.js';
export type { FileEvent, PlanCounts, RunEvent, RunSummary } from './events.js';
export { type Proof, proveFile } from './integrity/proof.js';
export { type Client, createClient } from './service/client.js';
export { fetchExchange, fetchExchanges } from './service/metadata.js';
export type { ServiceConfig } from './service/types.js';
export { type Manifest, openManifest } from './store/manifest.js';
export type { ManifestRecord } from './store/types.js';
export { VERSION } from './version.js';
