import {
  type CoverageDocument,
  type SeriesJson,
  toCoverageDocument,
} from '../describe/coverage/coverage-document.js';
import { expandHomeInArgs } from '../operations/arguments/expand-home.js';
import type { RunObserver } from '../operations/context.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { settingNameOf } from '../options/option-definition.js';
import { readCommandOptions } from '../options/read-options.js';
import type { EventQueue } from './event-queue.js';
import { findSignal } from './event-run.js';
import type { CoverageOptions } from './function-options.js';
import type { NoticeEvent } from './library-events.js';
import { createLibraryHost } from './library-host.js';
import { OPTION_TABLES } from './option-tables.js';
import { flagsToOptionsInError, optionsToArgs } from './options-to-args.js';
import { type Run, startRun } from './start-run.js';
import { toJsonValue } from './to-json-value.js';

/** One series of the coverage document. */
export interface SeriesEvent extends SeriesJson {
  readonly event: 'series';
}

export type CoverageEvent = SeriesEvent | NoticeEvent;

/**
 * Reads which days a download folder has, empty or missing ones included, like `tickhaul coverage`.
 * @returns a promise of the document, and an async iterable of its series.
 */
export function coverage(options: CoverageOptions = {}): Run<CoverageEvent, CoverageDocument> {
  return startRun(findSignal(options), async (feed: EventQueue<CoverageEvent>, signal) => {
    const warn = (message: string): void => feed.push({ event: 'warning', message });
    try {
      const { createCoveragePage, readFolderCoverage } = await import('../operations/coverage.js');
      const { withContext } = await import('../operations/context.js');
      const { findOutput } = await import('../operations/output-file.js');
      const host = createLibraryHost(signal, warn);
      const args = expandHomeInArgs(optionsToArgs(OPTION_TABLES.coverage, options), host.home);
      const values = readCommandOptions(COMMAND_OPTIONS.coverage, args, settingNameOf);
      const html = await findOutput('html', values.html);
      const observer: RunObserver = {
        emit(event) {
          if (event.event === 'warning') warn(event.message);
        },
      };
      const folderCoverage = await withContext(values, host, observer, (context) =>
        readFolderCoverage(values, context),
      );
      if (html) {
        const { writeReport } = await import('../describe/coverage/page/write-report.js');
        await writeReport(html, await createCoveragePage(folderCoverage), host);
      }
      const document = toJsonValue(toCoverageDocument(folderCoverage.facts));
      await feed.send(document.series.map((series) => ({ event: 'series', ...series }) as const));
      return document;
    } catch (thrown) {
      throw flagsToOptionsInError(thrown, OPTION_TABLES.coverage);
    }
  });
}
