/**
 * In the place of the package, by which yargs lays out its help: building its tables of Unicode takes half of the time
 * of a short run.
 */
import { textWidth } from '../../dist/src/cli/output/text/width.js';

export default textWidth;
