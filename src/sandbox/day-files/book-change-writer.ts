import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** A row for each level of a change; the rows of one change share their times. */
export const createBookChangeWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'book_change') return '';
    const head = `${formatLineHead(instrument, event)}${event.isSnapshot},`;
    let text = '';
    for (const { isAsk, ticks, lots } of event.levels) {
      text += `${head}${isAsk ? 'ask' : 'bid'},${ticks / ticksPerUnit},${lots / lotsPerUnit}\n`;
    }
    return text;
  };
};
