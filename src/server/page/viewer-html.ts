/** Replay viewer of the page. */
export const VIEWER = `
<section aria-labelledby="viewer-title">
<h2 id="viewer-title">Watch a replay</h2>
<form id="watch" class="card" autocomplete="off">
<div class="fields">
<label>Exchange <select name="exchange"></select></label>
<label>Symbol <input name="symbol" list="watch-symbols" spellcheck="false" autocapitalize="off"></label>
<datalist id="watch-symbols"></datalist>
<label>From <input name="from" placeholder="2024-03-01T00:00" spellcheck="false"></label>
<label>To (exclusive) <input name="to" placeholder="2024-03-01T01:00" spellcheck="false"></label>
<label>Speed <select name="speed">
<option value="1">real time</option>
<option value="10">10 times</option>
<option value="60">1 minute per second</option>
<option value="600" selected>10 minutes per second</option>
<option value="3600">1 hour per second</option>
<option value="Infinity">as fast as possible</option>
</select></label>
</div>
<fieldset class="ticks">
<legend>Show</legend>
<label><input type="checkbox" name="trade" checked> trades</label>
<label><input type="checkbox" name="book" checked> book, 10 levels</label>
<label><input type="checkbox" name="ticker" checked> derivative ticker</label>
</fieldset>
<div class="buttons">
<button class="first" id="start" type="submit">Start</button>
<button id="pause" type="button" aria-disabled="true">Pause</button>
<button id="step" type="button" aria-disabled="true">Step</button>
<button id="stop" type="button" aria-disabled="true">Stop</button>
</div>
<p id="state" role="status">Select an exchange, a symbol and a period, then press Start.</p>
<p class="where"><progress id="progress" max="1" value="0" aria-label="Position in the period"></progress>
<span id="position">–</span><span id="count">0 messages</span></p>
</form>
<div class="views" id="views" hidden>
<figure class="wide"><figcaption>Price</figcaption><div id="price" class="chart"></div></figure>
<figure><figcaption>Book</figcaption><table class="book" aria-label="Book: best 10 levels of each side"><thead><tr><th scope="col">price</th><th scope="col">amount</th></tr></thead><tbody id="asks"></tbody><tbody class="middle"><tr><td id="spread" colspan="2">spread –</td></tr></tbody><tbody id="bids"></tbody></table></figure>
<figure><figcaption>Trades</figcaption><table class="trades" aria-label="Trades: the latest first"><thead><tr><th scope="col">local time</th><th scope="col">side</th><th scope="col">price</th><th scope="col">amount</th></tr></thead><tbody id="trades"></tbody></table></figure>
<figure><figcaption>Derivative ticker</figcaption><dl class="ticker" id="ticker">
<div><dt>last price</dt><dd data-field="lastPrice">–</dd></div>
<div><dt>mark price</dt><dd data-field="markPrice">–</dd></div>
<div><dt>index price</dt><dd data-field="indexPrice">–</dd></div>
<div><dt>funding rate</dt><dd data-field="fundingRate">–</dd></div>
<div><dt>open interest</dt><dd data-field="openInterest">–</dd></div>
</dl></figure>
</div>
</section>`;
