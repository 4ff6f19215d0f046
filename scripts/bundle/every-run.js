/**
 * Modules that nearly every run loads: with what they import they become one chunk, where esbuild would make dozens of
 * a kilobyte each. No package of weight may hang on one of them.
 */
import '../../dist/src/base/deadline.js';
import '../../dist/src/base/file-error.js';
import '../../dist/src/base/make-folder.js';
import '../../dist/src/base/retry.js';
import '../../dist/src/base/wait.js';
import '../../dist/src/commands/arguments/read.js';
import '../../dist/src/cli/output/messages.js';
import '../../dist/src/cli/output/text/color.js';
import '../../dist/src/cli/output/text/screen.js';
import '../../dist/src/cli/output/text/table.js';
import '../../dist/src/cli/session.js';
import '../../dist/src/dataset/symbols.js';
import '../../dist/src/format/options.js';
import '../../dist/src/integrity/read-chunks.js';
import '../../dist/src/market/names/near-names.js';
import '../../dist/src/run/json.js';
import '../../dist/src/service/datasets.js';
