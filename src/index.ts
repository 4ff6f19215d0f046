/** tickhaul as a library: what the commands do, with options in the place of flags (docs/reference/library.md). */

export type { ErrorCode } from './base/errors.js';
export type { FileError } from './base/file-error.js';
export type {
  CoverageDocument,
  DayRangeJson as DayRange,
  SeriesJson as Series,
} from './coverage/document.js';
export type { LayoutFile, LayoutFunction } from './dataset/layout.js';
export { type CoverageEvent, coverage, type SeriesEvent } from './library/coverage.js';
export { TickhaulError } from './library/error.js';
export type { NoticeEvent, ToldEvent as RunEvent } from './library/events.js';
export type { ConvertOptions, CoverageOptions, VerifyOptions } from './library/file-options.js';
export type { RawReplayOptions, ReplayOptions, StreamOptions } from './library/message-options.js';
export type { DownloadOptions, PlanOptions, SyncOptions } from './library/options.js';
export { type ReplaySummary, replay } from './library/replay.js';
export type { Run } from './library/run.js';
export { convert, download, plan, sync, verify } from './library/runs.js';
export { type StreamSummary, stream } from './library/stream.js';
export type { Message } from './market/messages.js';
export type { RawDisconnect, RawMessage } from './replay/raw/raw-message.js';
export type {
  FileJson as FileEvent,
  FindingJson as FindingEvent,
  JobJson as JobSummary,
  PlanJson as PlanEvent,
  SummaryJson as Summary,
} from './run/json.js';
