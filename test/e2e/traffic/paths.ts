import { type Group, row, to } from "./row.ts";

/** Which route takes a request, by its path and its method. */
export const paths: readonly Group[] = [
  {
    about: "an exact path",
    http: [{ match: [{ uri: { exact: "/exact" } }], ...to("v2") }, to("v1")],
    rows: [
      row("takes the path", { path: "/exact" }, { by: "v2" }),
      row("takes it with a query", { path: "/exact?a=1" }, { by: "v2", path: "/exact?a=1" }),
      row("leaves a longer one", { path: "/exactly" }, { by: "v1" }),
      row("leaves what is below it", { path: "/exact/" }, { by: "v1" }),
      row("leaves other letters", { path: "/EXACT" }, { by: "v1" }),
    ],
  },
  {
    about: "a prefix",
    http: [{ match: [{ uri: { prefix: "/api" } }], ...to("v2") }, to("v1")],
    rows: [
      row("takes what is below it", { path: "/api/users" }, { by: "v2" }),
      row("takes a longer word", { path: "/apiary" }, { by: "v2" }),
      row("takes itself", { path: "/api" }, { by: "v2" }),
      row("leaves the rest", { path: "/ap" }, { by: "v1" }),
    ],
  },
  {
    about: "a regular expression",
    http: [{ match: [{ uri: { regex: "/item/[0-9]+" } }], ...to("v2") }, to("v1")],
    rows: [
      row("takes what it matches as a whole", { path: "/item/42" }, { by: "v2" }),
      row("does not look at the query", { path: "/item/42?x=y" }, { by: "v2" }),
      row("leaves what it matches in part", { path: "/item/42/more" }, { by: "v1" }),
    ],
  },
  {
    about: "a path in any case",
    http: [
      { match: [{ uri: { exact: "/Exact" }, ignoreUriCase: true }], ...to("v2") },
      { match: [{ uri: { prefix: "/Under" }, ignoreUriCase: true }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("is taken when exact", { path: "/eXACT" }, { by: "v2" }),
      row("is taken as a prefix", { path: "/uNDER/x" }, { by: "ratings" }),
    ],
  },
  {
    about: "a method",
    http: [
      { match: [{ method: { exact: "POST" } }], ...to("v2") },
      { match: [{ method: { regex: "PUT|PATCH" } }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("takes its own", { method: "POST" }, { by: "v2" }),
      row("takes one of two", { method: "PATCH" }, { by: "ratings" }),
      row("leaves others", { method: "GET" }, { by: "v1" }),
    ],
  },
  {
    about: "several matches",
    http: [
      { match: [{ uri: { exact: "/a" } }, { uri: { exact: "/b" } }], ...to("v2") },
      { match: [{ uri: { prefix: "/both" }, method: { exact: "PUT" } }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("are alternatives: the first", { path: "/a" }, { by: "v2" }),
      row("are alternatives: the second", { path: "/b" }, { by: "v2" }),
      row("of one kind each must hold together", { path: "/both", method: "PUT" }, { by: "ratings" }),
      row("are not enough when one fails", { path: "/both", method: "GET" }, { by: "v1" }),
    ],
  },
  {
    about: "the order of routes",
    http: [
      { match: [{ uri: { prefix: "/first" } }], ...to("v2") },
      { match: [{ uri: { prefix: "/first/second" } }], ...to("ratings") },
      to("v1"),
      { match: [{ uri: { prefix: "/late" } }], ...to("v2") },
    ],
    rows: [
      row("decides between two that match", { path: "/first/second" }, { by: "v2" }),
      row("puts routes after a catch-all out of reach", { path: "/late" }, { by: "v1" }),
    ],
  },
];
