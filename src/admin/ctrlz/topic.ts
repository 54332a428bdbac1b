import { json, type Route } from "../route.ts";
import type { Html } from "./html.ts";
import { type Link, page } from "./page.ts";

/** One subject of introspection: for people under `/<prefix>z/`, for programs under `/<prefix>j/`. */
export interface Topic {
  readonly prefix: string;
  readonly title: string;
  /** One line for the index: content and parameters. */
  readonly doc: string;
  /** The JSON data of the page for programs. */
  readonly data: (query: URLSearchParams) => unknown;
  /** The body of the page for people, below its title. */
  readonly body: (query: URLSearchParams) => Html | Promise<Html>;
  /** Handles the form on the page for people. Then the page is shown again. */
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
