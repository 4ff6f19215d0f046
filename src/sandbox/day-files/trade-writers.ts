import { type CreateLineWriter, formatLineHead } from './csv-lines.js';

/** Writes a row for each fill of an order. */
export const createTradeWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'trades') return '';
    const head = formatLineHead(instrument, event);
    const price = event.ticks / ticksPerUnit;
    let text = '';
    for (const { id, lots } of event.fills) {
      text += `${head}${id},${event.side},${price},${lots / lotsPerUnit}\n`;
    }
    return text;
  };
};

export const createLiquidationWriter: CreateLineWriter = (instrument) => {
  const { ticksPerUnit, lotsPerUnit } = instrument;
  return (event) => {
    if (event.kind !== 'liquidation') return '';
    const { id, side, ticks, lots } = event;
    return `${formatLineHead(instrument, event)}${id},${side},${ticks / ticksPerUnit},${lots / lotsPerUnit}\n`;
  };
};
