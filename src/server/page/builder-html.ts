/** Common data types, offered as buttons; any other can be typed. */
const COMMON_TYPES = [
  'trade',
  'book_change',
  'derivative_ticker',
  'liquidation',
  'option_summary',
  'book_ticker',
  'book_snapshot_10_100ms',
  'quote',
  'trade_bar_1m',
];

const TYPE_BUTTONS = COMMON_TYPES.map(
  (name) => `<button type="button" data-type="${name}" aria-pressed="false">${name}</button>`,
).join('');

/** Address builder of the page. Fields have the names of options; `data-field` shows and hides them. */
export const BUILDER = `
<section aria-labelledby="builder-title">
<h2 id="builder-title">Build an address</h2>
<form id="build" class="card" autocomplete="off">
<label class="endpoint">Endpoint <select name="endpoint">
<option value="/replay">/replay: an exchange’s own messages</option>
<option value="/replay-normalized" selected>/replay-normalized: normalized messages</option>
<option value="/ws-replay">/ws-replay: own messages, WebSocket</option>
<option value="/ws-replay-normalized">/ws-replay-normalized: normalized, WebSocket</option>
<option value="/ws-stream-normalized">/ws-stream-normalized: live, WebSocket</option>
</select></label>
<div id="selections"></div>
<div class="buttons"><button id="add" type="button">Merge with another</button></div>
<label data-try>Subscribe message, as the exchange’s clients send it <input id="subscribe" spellcheck="false" placeholder='{"op":"subscribe","args":["trade:XBTUSD"]}'></label>
<label for="address">Address</label>
<textarea id="address" readonly rows="4" spellcheck="false"></textarea>
<div class="buttons">
<button class="first" id="copy" type="button">Copy</button>
<button id="try" type="button">Try it</button>
</div>
<p id="build-state" role="status"></p>
<pre id="answer" tabindex="0" aria-label="First lines of the response" hidden></pre>
</form>
<template id="selection">
<fieldset class="selection">
<legend>Options</legend>
<div class="fields">
<label data-field="exchange">Exchange <select name="exchange"></select></label>
<label data-field="symbols">Symbols, empty for all <input name="symbols" spellcheck="false" autocapitalize="off" placeholder="XBTUSD, ETHUSD"></label>
<label data-field="from">From <input name="from" spellcheck="false" placeholder="2024-03-01"></label>
<label data-field="to">To (exclusive) <input name="to" spellcheck="false" placeholder="2024-03-01T01:00"></label>
<label data-field="session">Session <input name="session" spellcheck="false" placeholder="none"></label>
<label data-field="timeoutIntervalMS">Silence timeout in milliseconds <input name="timeoutIntervalMS" inputmode="numeric" placeholder="10000"></label>
</div>
<div data-field="dataTypes"><label>Data types <input name="dataTypes" spellcheck="false" autocapitalize="off" value="trade"></label>
<div class="chips" role="group" aria-label="Data types to add or remove">${TYPE_BUTTONS}</div></div>
<label data-field="filters">Channels, one per line, with symbols after a colon; empty for all <textarea name="filters" rows="3" spellcheck="false" placeholder="trade: XBTUSD"></textarea></label>
<div class="ticks">
<label data-field="withDisconnects"><input type="checkbox" name="withDisconnects"> an empty line for each disconnect</label>
<label data-field="withDisconnectMessages"><input type="checkbox" name="withDisconnectMessages"> disconnect messages</label>
<label data-field="withErrorMessages"><input type="checkbox" name="withErrorMessages"> error messages</label>
</div>
<button type="button" class="remove">Remove</button>
</fieldset>
</template>
</section>`;
