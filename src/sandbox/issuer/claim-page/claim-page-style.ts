/** The page's style sheet, for light and dark mode. */
export const CLAIM_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --text: #1c2430; --soft: #56606e; --line: #c9cfd8;
  --main: #1857b8; --on-main: #ffffff; --error: #b3261e; --code: #eef2f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b212a; --text: #e8ecf2; --soft: #a3adba; --line: #47515f;
    --main: #8ab4f8; --on-main: #0d1b2e; --error: #ff9d94; --code: #252d39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 24px 16px;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 16px;
  background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 420px; padding: 32px;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; }
p { margin: 0 0 16px; }
main > :last-child { margin-bottom: 0; }
strong { overflow-wrap: anywhere; }
label, legend { display: block; margin-bottom: 4px; padding: 0; font-weight: 600; }
input[type=email] {
  width: 100%; padding: 10px 12px; border: 1px solid var(--soft); border-radius: 8px;
  background: transparent; color: inherit; font: inherit;
}
fieldset { margin: 0; padding: 0; border: 0; }
.choice {
  display: flex; gap: 10px; align-items: center; margin: 0 0 8px; padding: 10px 12px;
  border: 1px solid var(--line); border-radius: 8px; font-weight: 400; cursor: pointer;
}
.choice input { margin: 0; accent-color: var(--main); }
output {
  display: block; margin: 0 0 8px; padding: 16px; border-radius: 8px; background: var(--code);
  font: 600 32px/1.2 ui-monospace, monospace; letter-spacing: 2px; text-align: center; user-select: all;
}
button {
  width: 100%; margin-top: 16px; padding: 11px 16px; border-radius: 8px; font: inherit; font-weight: 600;
  cursor: pointer;
}
.main { border: 1px solid var(--main); background: var(--main); color: var(--on-main); }
.quiet { border: 1px solid var(--line); background: transparent; color: var(--text); }
input:focus-visible, button:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
form + .hint { margin-top: 16px; }
form + form { margin-top: 12px; }
input[type=hidden] + button { margin-top: 0; }
.hint, footer { color: var(--soft); font-size: 14px; }
.error { margin: 6px 0 0; color: var(--error); font-size: 14px; }
footer { text-align: center; }
`;
