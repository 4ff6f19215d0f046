const DATA_TYPES = [
  'trades',
  'incremental_book_L2',
  'quotes',
  'book_snapshot_5',
  'book_snapshot_25',
  'options_chain',
];
const EXPORTED_UNTIL = '2024-03-10T00:00:00.000Z';

/** An exchange record with a number of options, two thirds of them listed until the end of the export. */
export function makeRecord(symbols) {
  const listed = Array.from({ length: symbols }, (_, at) => {
    const expiry = `${1 + (at % 28)}${['JAN', 'FEB', 'MAR', 'APR'][at % 4]}2${at % 6}`;
    return {
      id: `BTC-${expiry}-${at}-${at % 2 ? 'C' : 'P'}`,
      type: 'option',
      availableSince: timeOf(at % 1500),
      availableTo: at % 3 === 0 ? timeOf(30 + (at % 1500)) : EXPORTED_UNTIL,
    };
  });
  return {
    id: 'deribit',
    name: 'Deribit',
    enabled: true,
    supportsDatasets: true,
    availableSince: '2019-03-30T00:00:00.000Z',
    availableChannels: ['book', 'trades'],
    availableSymbols: listed,
    incidentReports: [],
    channelDetails: [],
    datasets: {
      formats: ['csv'],
      exportedFrom: '2019-03-30T00:00:00.000Z',
      exportedUntil: EXPORTED_UNTIL,
      stats: { trades: 1, bookChanges: 2 },
      symbols: listed.map((symbol) => ({ ...symbol, dataTypes: DATA_TYPES })),
    },
  };
}

/** The time this many days after 2020-01-01. */
function timeOf(days) {
  return new Date(Date.UTC(2020, 0, 1 + days)).toISOString();
}
