import { damagedFilesTarget } from '../../describe/damaged-files-target.js';
import { feedTextTarget } from '../../exchange-adapters/message-text/feed-text-target.js';
import { inflateTarget } from '../../gzip/inflate/inflate-target.js';
import { seriesTarget } from '../../market/day-file/series-target.js';
import { textLinesTarget } from '../../market/day-file/text-lines-target.js';
import { rawLinesTarget } from '../../replay/raw-lines-target.js';
import { ndjsonTarget } from '../ndjson/ndjson-target.js';
import { rowGroupTarget } from '../parquet/row-group-target.js';
import type { FuzzTarget } from './target.js';

/** All fuzz targets; the tests run each for a few seconds. */
export const TARGETS: readonly FuzzTarget[] = [
  ndjsonTarget,
  rowGroupTarget,
  textLinesTarget,
  seriesTarget,
  rawLinesTarget,
  feedTextTarget,
  inflateTarget,
  damagedFilesTarget,
];
