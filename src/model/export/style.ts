/** The whole look of an exported page, for light and dark. The page's policy names its hash: nothing else can style it. */
export const style = `
:root { color-scheme: light dark; --ground: #fbfaf8; --card: #fff; --ink: #1d1b19; --soft: #5c5750; --line: #e2ddd5; --sunken: #f3f0eb; --accent: #8a4b08; --good: #1e6b3a; --bad: #a12622; }
@media (prefers-color-scheme: dark) { :root { --ground: #171614; --card: #201e1b; --ink: #ece8e1; --soft: #a9a298; --line: #38342e; --sunken: #131210; --accent: #e0a35c; --good: #7fc796; --bad: #f0918c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1rem 4rem; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: .8rem; margin: 0 0 .4rem; color: var(--soft); font-weight: 600; }
h3, h4, h5, h6 { font-size: 1.05rem; margin: 1.2em 0 .4em; }
time { font-weight: 400; margin-left: .5em; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: 1.5rem; }
dl { display: grid; gap: .15rem; margin: 0; font-size: .875rem; }
dl div { display: flex; gap: .75rem; }
dt { color: var(--soft); min-width: 5.5rem; }
dd { margin: 0; }
main > * { margin: 0 0 1rem; }
.message { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; }
.plain { white-space: pre-wrap; }
.text > :first-child { margin-top: 0; }
.text > :last-child { margin-bottom: 0; }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .8rem; margin: .6rem 0; font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
code { font: .875em ui-monospace, monospace; background: var(--sunken); border-radius: .25rem; padding: .1em .3em; }
details { border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .8rem; background: var(--card); font-size: .925rem; }
summary { cursor: pointer; }
.thinking { color: var(--soft); }
.ask { border: 1px solid var(--accent); border-left-width: 4px; border-radius: .5rem; padding: .8rem 1rem; background: var(--card); }
.ask p { margin: .3rem 0; white-space: pre-wrap; }
.end { font-weight: 600; color: var(--soft); }
.allowed .end, .answered .end, .submitted .end { color: var(--good); }
.denied .end, .lost .end, .failed { color: var(--bad); }
.note { color: var(--soft); font-size: .875rem; white-space: pre-wrap; }
.note.warning { color: var(--accent); }
.note.error { color: var(--bad); }
.quiet { color: var(--soft); font-size: .875rem; margin: .4rem 0; }
.nested-1 { margin-left: 1.25rem; }
.nested-2 { margin-left: 2.5rem; }
.nested-3 { margin-left: 3.75rem; }
blockquote { margin: .6rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .925rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
a { color: inherit; }
hr { border: 0; border-top: 1px solid var(--line); }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--soft); font-size: .8rem; }
@media print { body { max-width: none; } details { break-inside: avoid; } }
`;
