// Rows of day files to the lines of their messages, straight from text to text, 16 bytes at a time. What is not written
// as usual stops it, and is taken outside.
//
// What the caller sees to: the text is whole rows, each ending in LF, without a quote; 64 bytes behind it may be read.
export { allocate } from '../../../format/kernel/assembly/memory';
export { makeChanges } from './changes';
export { makeRows, setColumns } from './rows';
export { backwards, foreign, last, outside, setTally } from './tally';
export { lines, phase, position, rows, setOutput, setPeriod, setTexts, written } from './output';
