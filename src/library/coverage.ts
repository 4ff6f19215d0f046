import { type CoverageDocument, coverageDocument, type SeriesJson } from '../coverage/document.js';
import { argsOf, inOptions } from './arguments.js';
import { signalOf } from './event-run.js';
import type { NoticeEvent } from './events.js';
import type { Feed } from './feed.js';
import type { CoverageOptions } from './file-options.js';
import { libraryHost } from './host.js';
import { plainly } from './plainly.js';
import { begin, type Run } from './run.js';
import { COVERAGE } from './tables.js';

/** One series of the document. */
export interface SeriesEvent extends SeriesJson {
  readonly event: 'series';
}

export type CoverageEvent = SeriesEvent | NoticeEvent;

/**
 * Which days of a download folder are there, empty or missing: `tickhaul coverage`.
 * @returns a promise of the document, and an async iterable of its series.
 */
export function coverage(options: CoverageOptions = {}): Run<CoverageEvent, CoverageDocument> {
  return begin(signalOf(options), async (feed: Feed<CoverageEvent>, signal) => {
    const warn = (message: string): void => feed.push({ event: 'warning', message });
    try {
      const { coveragePage, prepareCoverage } = await import('../commands/coverage.js');
      const { readOutputFile } = await import('../commands/output-file.js');
      const args = argsOf(COVERAGE, options);
      const host = libraryHost(signal, warn);
      const html = await readOutputFile(args, 'html');
      const read = await prepareCoverage(args, host);
      const found = await read(warn);
      if (html) {
        const { writeReport } = await import('../coverage/page/write.js');
        await writeReport(html, await coveragePage(found), host);
      }
      const document = plainly(coverageDocument(found.facts));
      await feed.send(document.series.map((series) => ({ event: 'series', ...series }) as const));
      return document;
    } catch (thrown) {
      throw inOptions(thrown, COVERAGE);
    }
  });
}
