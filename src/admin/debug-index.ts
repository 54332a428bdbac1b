import { largest } from "../lib/extremes.ts";
import { html, table } from "./ctrlz/html.ts";
import { page } from "./ctrlz/page.ts";
import { type PageAnswer, json, type Route, text } from "./route.ts";

/** Two pages about the other pages: one for people, one for programs. */
export function debugIndex(pages: readonly Route[]): readonly Route[] {
  const list: Route = {
    path: "/debug/list",
    doc: "names of the debug pages, for debug requests over xDS",
    answer: () => json(names([...pages, list])),
  };
  const index: Route = {
    path: "/debug",
    open: true,
    doc: "all debug pages, with a description",
    answer() {
      return listPage("Debug pages", "/debug", [...pages, list, index]);
    },
  };
  return [list, index];
}

/** The landing page of the port: links for a browser, a plain list for other clients. */
export function rootPage(pages: readonly Route[]): Route {
  const linked = pages.filter(({ path }) => !path.startsWith("/debug/"));
  return {
    path: "/",
    open: true,
    doc: "index of this port",
    answer(_query, accept = "") {
      if (accept.includes("text/html")) return listPage("Binnacle", "/", linked);
      if (accept.includes("application/json")) return json(linked.map(({ path, doc }) => ({ path, doc })));
      const width = largest(linked.map(({ path }) => path.length));
      return text(linked.map(({ path, doc }) => `${path.padEnd(width)}  ${doc}`).join("\n"));
    },
  };
}

/** A page of links to others, for a browser. */
function listPage(title: string, at: string, pages: readonly Route[]): PageAnswer {
  const rows = pages.map(({ path, doc }) => [html`<a href="${path}">${path}</a>`, doc]);
  return page({ title, path: at, links: [], body: table(["page", "description"], rows) });
}

function names(pages: readonly Route[]): readonly string[] {
  return pages.flatMap(({ path }) => (path.startsWith("/debug/") ? [path.slice("/debug/".length)] : [])).toSorted();
}
