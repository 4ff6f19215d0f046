/** tickhaul as a library: what the commands do, with options in the place of flags (docs/reference/library.md). */

export type { ErrorCode, FileError } from './base/errors.js';
export type { OutputFormatName as OutputFormat } from './base/output-format-names.js';
export type { LayoutFile, LayoutFunction } from './day-files/layout.js';
export type {
  CoverageDocument,
  DayRangeJson as DayRange,
  SeriesJson as Series,
} from './describe/coverage/coverage-facts.js';
export type {
  AuditedDay,
  ContentResult,
  DayCondition,
  FailedDay,
  FailedSeries,
  GoodDays,
  RowPlace,
  SeriesNames,
  TimeStretch,
} from './events/audited-day.js';
export type {
  DayJson as DayEvent,
  FileJson as FileEvent,
  FindingJson as FindingEvent,
  JobJson as JobSummary,
  PlanJson as PlanEvent,
  SummaryJson as Summary,
} from './events/json-events.js';
export type { LibraryEvent as RunEvent, NoticeEvent } from './library/event-run.js';
export type {
  AuditOptions,
  ConvertOptions,
  CoverageOptions,
  DownloadOptions,
  ExchangesOptions,
  ExportOptions,
  InstrumentsOptions,
  PlanOptions,
  RawReplayOptions,
  ReplayOptions,
  StreamOptions,
  SymbolsOptions,
  SyncOptions,
  VerifyOptions,
} from './library/function-options.js';
export {
  type RawDisconnect,
  type RawMessage,
  type ReplaySummary,
  replay,
  type StreamSummary,
  stream,
} from './library/message-run.js';
export {
  audit,
  convert,
  download,
  exportDayFiles as export,
  plan,
  sync,
  verify,
} from './library/run-functions.js';
export {
  type CoverageEvent,
  coverage,
  type DatasetSymbolJson as DatasetSymbol,
  type ExchangeJson as Exchange,
  type ExchangeRecordJson as ExchangeRecord,
  exchanges,
  type InstrumentJson as Instrument,
  instruments,
  type RecordEvent,
  type SeriesEvent,
  symbols,
} from './library/run-records.js';
export type { Run } from './library/start-run.js';
export { LibraryError as TickhaulError } from './library/start-run.js';
export type {
  ComputedTypeName as ComputedType,
  DataTypeName as DataType,
  MessageTypeName as MessageType,
} from './library/text-list.js';
export type { Message } from './market/messages.js';
export type { ExportTargetName as ExportTarget } from './options/export-options.js';
