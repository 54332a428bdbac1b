import type { Route } from "../route.ts";
import { html } from "./html.ts";
import { page } from "./page.ts";
import { linkTo, type Topic, topicRoutes } from "./topic.ts";

export interface CtrlzOptions {
  /** In the order of the index. */
  readonly topics: readonly Topic[];
  /** Further pages without a topic. */
  readonly more: readonly Route[];
}

/** Every page of the introspection port: the index, the topics, and further pages. */
export function ctrlzRoutes({ topics, more }: CtrlzOptions): readonly Route[] {
  const links = topics.map(linkTo);
  const items = topics.map((topic) => {
    const { path, title } = linkTo(topic);
    return html`<li><a href="${path}">${title}</a> (<a href="/${topic.prefix}j/">JSON</a>): ${topic.doc}</li>`;
  });
  const others = more.map(({ path, doc }) => html`<li><a href="${path}">${path}</a>: ${doc}</li>`);
  const index: Route = {
    path: "/",
    doc: "the topics",
    answer: () => page({ title: "Introspection", path: "/", links, body: html`<ul>${items}${others}</ul>` }),
  };
  return [index, ...topics.flatMap((topic) => topicRoutes(topic, links)), ...more];
}
