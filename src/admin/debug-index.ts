import { html, table } from "./ctrlz/html.ts";
import { page } from "./ctrlz/page.ts";
import { json, type Route } from "./route.ts";

/** Two pages about the other pages: one for people, one for programs. */
export function debugIndex(pages: readonly Route[]): readonly Route[] {
  const list: Route = {
    path: "/debug/list",
    doc: "the names of these pages, as they can be asked for over xDS",
    answer: () => json(names([...pages, list])),
  };
  const index: Route = {
    path: "/debug",
    open: true,
    doc: "this list",
    answer() {
      const rows = [...pages, list, index].map(({ path, doc }) => [html`<a href="${path}">${path}</a>`, doc]);
      return page({ title: "Debug pages", path: "/debug", links: [], body: table(["page", "what it shows"], rows) });
    },
  };
  return [list, index];
}

function names(pages: readonly Route[]): readonly string[] {
  return pages.flatMap(({ path }) => (path.startsWith("/debug/") ? [path.slice("/debug/".length)] : [])).toSorted();
}
