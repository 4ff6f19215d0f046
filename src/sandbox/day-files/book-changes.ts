import { type LineWriterOf, lineHead } from './lines.js';

/** A row for each level of a change; the rows of one change share their times. */
export const bookChangeLines: LineWriterOf = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'book_change') return '';
    const head = `${lineHead(instrument, event)}${event.isSnapshot},`;
    let text = '';
    for (const { isAsk, ticks, lots } of event.levels) {
      text += `${head}${isAsk ? 'ask' : 'bid'},${ticks / ticksPerUnit},${lots / lotsPerUnit}\n`;
    }
    return text;
  };
};
