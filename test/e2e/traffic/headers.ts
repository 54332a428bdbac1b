import { destinations, type Group, row, to } from "./row.ts";

const user = (name: string) => ({ headers: { "x-user": name } });

/** Routes by headers and queries, and what becomes of headers on the way. */
export const headers: readonly Group[] = [
  {
    about: "a header",
    http: [
      { match: [{ headers: { "x-user": { exact: "ann" } } }], ...to("v2") },
      { match: [{ headers: { "x-user": { prefix: "bo" } } }], ...to("ratings") },
      { match: [{ headers: { "x-user": { regex: "c[0-9]+" } } }], ...to("v2") },
      { match: [{ headers: { "x-any": {} } }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("takes an exact value", user("ann"), { by: "v2" }),
      row("leaves a longer value", user("anna"), { by: "v1" }),
      row("takes a prefix", user("bob"), { by: "ratings" }),
      row("takes what an expression matches", user("c42"), { by: "v2" }),
      row("leaves what an expression matches in part", user("c42x"), { by: "v1" }),
      row("takes any value where it need only be there", { headers: { "x-any": "" } }, { by: "ratings" }),
      row("leaves a request without it", {}, { by: "v1" }),
    ],
  },
  {
    about: "a header that must be absent",
    http: [
      { match: [{ withoutHeaders: { "x-token": {} }, uri: { prefix: "/private" } }], ...to("v2") },
      { match: [{ withoutHeaders: { "x-role": { exact: "guest" } }, uri: { prefix: "/staff" } }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("lets a request without it in", { path: "/private" }, { by: "v2" }),
      row("leaves a request with it", { path: "/private", headers: { "x-token": "t" } }, { by: "v1" }),
      row("is judged by its value: another one", { path: "/staff", headers: { "x-role": "chef" } }, { by: "ratings" }),
      row("is judged by its value: this one", { path: "/staff", headers: { "x-role": "guest" } }, { by: "v1" }),
    ],
  },
  {
    about: "a query parameter",
    http: [
      { match: [{ queryParams: { beta: { exact: "yes" } } }], ...to("v2") },
      { match: [{ queryParams: { page: { regex: "[0-9]+" } } }], ...to("ratings") },
      to("v1"),
    ],
    rows: [
      row("takes an exact value", { path: "/?beta=yes" }, { by: "v2" }),
      row("leaves another value", { path: "/?beta=no" }, { by: "v1" }),
      row("takes it among others", { path: "/?a=1&beta=yes&b=2" }, { by: "v2" }),
      row("takes what an expression matches", { path: "/?page=7" }, { by: "ratings" }),
      row("leaves what it does not match", { path: "/?page=seven" }, { by: "v1" }),
    ],
  },
  {
    about: "request headers",
    http: [
      {
        ...to("v1"),
        headers: { request: { set: { "x-set": "new" }, add: { "x-add": "more" }, remove: ["x-remove"] } },
      },
    ],
    rows: [
      row("are set", { headers: { "x-set": "old" } }, { by: "v1", received: { "x-set": "new" } }),
      row("are added", { headers: { "x-add": "one" } }, { by: "v1", received: { "x-add": "one, more" } }),
      row("are removed", { headers: { "x-remove": "it" } }, { by: "v1", received: { "x-remove": undefined } }),
    ],
  },
  {
    about: "response headers",
    http: [
      {
        route: [
          {
            destination: destinations.v1,
            headers: { response: { set: { "x-of": "the destination" }, remove: ["x-echo-time"] } },
          },
        ],
        headers: { response: { add: { "x-all": "of the route" } } },
      },
    ],
    rows: [
      row(
        "of a destination and of a route are both there",
        {},
        {
          by: "v1",
          answered: { "x-of": "the destination", "x-all": "of the route" },
        },
      ),
    ],
  },
  {
    about: "the host header",
    http: [{ ...to("v1"), headers: { request: { set: { host: "other.example.com" } } } }],
    rows: [row("can be set like any other", {}, { by: "v1", host: "other.example.com" })],
  },
];
