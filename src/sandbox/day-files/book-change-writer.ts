import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** Writes a row for each level of a change. The rows of one change have the same times. */
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
