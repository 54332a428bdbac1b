import type { PageAnswer } from "../route.ts";
import { type Html, html } from "./html.ts";

const style = html`
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0; list-style: none; }
[aria-current] { font-weight: bold; }
table { border-collapse: collapse; }
th, td { padding: .2rem .8rem .2rem 0; text-align: start; vertical-align: top; overflow-wrap: anywhere; }
tbody tr { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
tbody th { font-weight: normal; }`;

export interface Link {
  readonly path: string;
  readonly title: string;
}

export interface PageOptions {
  readonly title: string;
  /** The page's own path. */
  readonly path: string;
  readonly links: readonly Link[];
  readonly body: Html;
}

/** A whole HTML document, without scripts and without external resources. */
export function page({ title, path, links, body }: PageOptions): PageAnswer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} &middot; Binnacle</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Topics"><ul>
${links.map((link) => html`<li>${anchor(link, path)}</li>`)}
</ul></nav>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return { status: 200, contentType: "text/html; charset=utf-8", body: document.markup };
}

function anchor({ path, title }: Link, current: string): Html {
  return path === current
    ? html`<a href="${path}" aria-current="page">${title}</a>`
    : html`<a href="${path}">${title}</a>`;
}
