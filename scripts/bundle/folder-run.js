/**
 * Modules that the commands with a download folder load: they become one chunk too, which is loaded where any of them
 * is needed. What only an object store needs must not hang on one of them.
 */
import '../../dist/src/cli/output/run/reporters.js';
import '../../dist/src/cli/output/run/json.js';
import '../../dist/src/cli/output/run/lines.js';
import '../../dist/src/cli/output/run/quiet.js';
import '../../dist/src/commands/destination.js';
import '../../dist/src/commands/lock-owner.js';
import '../../dist/src/commands/selection/selection.js';
import '../../dist/src/dataset/series-filter.js';
import '../../dist/src/run/tally.js';
import '../../dist/src/store/find-destination.js';
import '../../dist/src/store/manifest/proven-record.js';
import '../../dist/src/store/open-destination.js';
import '../../dist/src/store/part.js';
import '../../dist/src/store/small-objects.js';
