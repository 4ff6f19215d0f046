/**
 * Modules that commands with a download folder load. They become one chunk too, which is loaded if any of them is
 * needed. None of them may import modules that only an object store needs.
 */
import '../../dist/src/cli/output/run/create-reporter.js';
import '../../dist/src/cli/output/run/json-reporter.js';
import '../../dist/src/cli/output/run/lines-reporter.js';
import '../../dist/src/cli/output/run/quiet-reporter.js';
import '../../dist/src/commands/with-destination.js';
import '../../dist/src/commands/create-lock-owner.js';
import '../../dist/src/commands/selection/read-selection.js';
import '../../dist/src/dataset/series-filter.js';
import '../../dist/src/run/run-tally.js';
import '../../dist/src/store/find-destination.js';
import '../../dist/src/store/manifest/verified-record.js';
import '../../dist/src/store/open-destination.js';
import '../../dist/src/store/part-path.js';
import '../../dist/src/store/read-write-at.js';
