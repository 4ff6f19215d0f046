/**
 * Replaces the package with which yargs lays out its help: building its Unicode tables takes half of the time of a short
 * run.
 */
import { textWidth } from '../../dist/src/cli/output/text/width.js';

export default textWidth;
