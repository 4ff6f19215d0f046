// Formats rows of day files as lines of messages, directly from text to text, 16 bytes at a time. It stops at
// unusual cells, which the caller handles.
//
// The caller ensures that the text consists of complete rows, each ending in LF, without quotes, and that 64
// bytes after it may be read.
export { allocate } from '../../../format/assembly/memory';
export { formatChanges } from './changes';
export { formatRows, setColumns } from './rows';
export { backwards, foreign, last, outside, setTally } from './tally';
export { lines, phase, position, rows, setOutput, setPeriod, setTexts, written } from './output';
