/**
 * Modules that nearly every run loads. With their imports they become one chunk, where esbuild would create dozens of a
 * kilobyte each. None of them may import a large package.
 */
import '../../dist/src/base/deadline.js';
import '../../dist/src/base/file-error.js';
import '../../dist/src/base/create-folder.js';
import '../../dist/src/base/with-retries.js';
import '../../dist/src/base/wait.js';
import '../../dist/src/commands/arguments/read-arguments.js';
import '../../dist/src/cli/output/format-events.js';
import '../../dist/src/cli/output/text/color.js';
import '../../dist/src/cli/output/text/screen.js';
import '../../dist/src/cli/output/text/table.js';
import '../../dist/src/cli/session.js';
import '../../dist/src/dataset/dataset-symbol.js';
import '../../dist/src/format/create-output-options.js';
import '../../dist/src/integrity/read-chunks.js';
import '../../dist/src/market/names/suggest-data-types.js';
import '../../dist/src/options/option-values.js';
import '../../dist/src/options/service-options.js';
import '../../dist/src/run/json-events.js';
import '../../dist/src/service/request-day-file.js';
