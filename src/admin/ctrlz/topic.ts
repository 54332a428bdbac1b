import { json, type Route } from "../route.ts";
import type { Html } from "./html.ts";
import { type Link, page } from "./page.ts";

/** One subject of introspection: for people under `/<prefix>z/`, for programs under `/<prefix>j/`. */
export interface Topic {
  readonly prefix: string;
  readonly title: string;
  /** One line for the index: what it shows, and its parameters. */
  readonly doc: string;
  /** What the page for programs has. */
  readonly data: (query: URLSearchParams) => unknown;
  /** What the page for people has below its title. */
  readonly body: (query: URLSearchParams) => Html | Promise<Html>;
  /** Takes what a form on the page for people sends; the page is shown again then. */
  readonly submit?: (fields: URLSearchParams) => void;
  /** Pages beyond these two. */
  readonly more?: readonly Route[];
}

export function linkTo({ prefix, title }: Topic): Link {
  return { path: `/${prefix}z/`, title };
}

/** All pages of a topic; `links` are on each page for people. */
export function topicRoutes(topic: Topic, links: readonly Link[]): readonly Route[] {
  const { prefix, title, doc, data, body, submit, more = [] } = topic;
  const { path } = linkTo(topic);
  const forPeople: Route = {
    path,
    doc,
    answer: async (query) => page({ title, path, links, body: await body(query) }),
    ...(submit !== undefined && {
      change: {
        method: "POST",
        apply(fields) {
          submit(new URLSearchParams(fields));
          return { status: 303, contentType: "text/plain", body: "", headers: { location: path } };
        },
      },
    }),
  };
  const forPrograms: Route = {
    path: `/${prefix}j/`,
    doc: `${doc}, as JSON`,
    answer: async (query) => json(await data(query)),
  };
  return [forPeople, forPrograms, ...more];
}
