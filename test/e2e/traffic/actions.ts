import { destinations, type Group, row, to } from "./row.ts";

/** Actions of routes beside forwarding. */
export const actions: readonly Group[] = [
  {
    about: "a rewrite",
    http: [
      { match: [{ uri: { prefix: "/old/" } }], rewrite: { uri: "/" }, ...to("v1") },
      { match: [{ uri: { prefix: "/api" } }], rewrite: { uri: "/v2" }, ...to("v1") },
      { match: [{ uri: { exact: "/exact" } }], rewrite: { uri: "/rewritten" }, ...to("v1") },
      { match: [{ uri: { regex: "/r/.*" } }], rewrite: { uri: "/whole" }, ...to("v1") },
      { match: [{ uri: { prefix: "/host" } }], rewrite: { authority: "inner.example.com" }, ...to("v1") },
      {
        match: [{ uri: { prefix: "/swap" } }],
        rewrite: { uriRegexRewrite: { match: "^/swap/([^/]+)/([^/]+)", rewrite: "/\\2/\\1" } },
        ...to("v1"),
      },
    ],
    rows: [
      row("takes a prefix away", { path: "/old/a/b?c=d" }, { by: "v1", path: "/a/b?c=d" }),
      row("replaces a prefix", { path: "/api/users" }, { by: "v1", path: "/v2/users" }),
      row("replaces an exact path", { path: "/exact?q=1" }, { by: "v1", path: "/rewritten?q=1" }),
      row("replaces all that an expression matched", { path: "/r/x/y" }, { by: "v1", path: "/whole" }),
      row("replaces the host", { path: "/host" }, { by: "v1", path: "/host", host: "inner.example.com" }),
      row("turns groups around", { path: "/swap/a/b" }, { by: "v1", path: "/b/a" }),
    ],
  },
  {
    about: "a redirect",
    http: [
      { match: [{ uri: { exact: "/path" } }], redirect: { uri: "/moved" } },
      { match: [{ uri: { exact: "/host" } }], redirect: { authority: "new.example.com" } },
      {
        match: [{ uri: { exact: "/both" } }],
        redirect: { authority: "new.example.com", uri: "/moved", redirectCode: 308 },
      },
      { match: [{ uri: { exact: "/scheme" } }], redirect: { scheme: "https" } },
      { match: [{ uri: { exact: "/port" } }], redirect: { port: 8443, scheme: "https", redirectCode: 307 } },
    ],
    rows: [
      row("changes the path", { path: "/path?a=1" }, { status: 301, location: "http://HOST/moved?a=1" }),
      row("changes the host", { path: "/host" }, { status: 301, location: "http://new.example.com/host" }),
      row("changes both, with a code", { path: "/both" }, { status: 308, location: "http://new.example.com/moved" }),
      row("changes the scheme", { path: "/scheme" }, { status: 301, location: "https://HOST/scheme" }),
      row("changes the port", { path: "/port" }, { status: 307, location: "https://HOST:8443/port" }),
    ],
  },
  {
    about: "a direct response",
    http: [
      { match: [{ uri: { exact: "/no" } }], directResponse: { status: 403, body: { string: "not for you" } } },
      { match: [{ uri: { exact: "/gone" } }], directResponse: { status: 410 } },
      {
        match: [{ uri: { exact: "/teapot" } }],
        directResponse: { status: 418 },
        headers: { response: { set: { "x-tea": "green" } } },
      },
    ],
    rows: [
      row("has a body", { path: "/no" }, { status: 403, body: "not for you" }),
      row("may be empty", { path: "/gone" }, { status: 410, body: "" }),
      row("has headers", { path: "/teapot" }, { status: 418, headers: { "x-tea": "green" } }),
    ],
  },
  {
    about: "a fault",
    http: [
      {
        match: [{ uri: { exact: "/abort" } }],
        fault: { abort: { httpStatus: 418, percentage: { value: 100 } } },
        ...to("v1"),
      },
      {
        match: [{ uri: { exact: "/never" } }],
        fault: { abort: { httpStatus: 418, percentage: { value: 0 } } },
        ...to("v1"),
      },
      {
        match: [{ uri: { exact: "/late" } }],
        fault: { delay: { fixedDelay: "0.01s", percentage: { value: 100 } } },
        ...to("v1"),
      },
      {
        match: [{ uri: { exact: "/grpc" } }],
        fault: { abort: { grpcStatus: "UNAVAILABLE", percentage: { value: 100 } } },
        ...to("v1"),
      },
    ],
    rows: [
      row("ends all requests", { path: "/abort" }, { status: 418, body: "fault filter abort" }),
      row("ends none of them", { path: "/never" }, { by: "v1" }),
      row("delays", { path: "/late" }, { by: "v1" }),
      row(
        "ends gRPC calls with a gRPC status",
        { path: "/grpc", method: "POST", headers: { "content-type": "application/grpc" } },
        { status: 200, headers: { "grpc-status": "14" } },
      ),
    ],
  },
  {
    about: "weights",
    http: [
      {
        match: [{ uri: { exact: "/all" } }],
        route: [
          { destination: destinations.v1, weight: 100 },
          { destination: destinations.v2, weight: 0 },
        ],
      },
      {
        match: [{ uri: { exact: "/none" } }],
        route: [
          { destination: destinations.v1, weight: 0 },
          { destination: destinations.ratings, weight: 7 },
        ],
      },
    ],
    rows: [
      row("of nothing and all", { path: "/all" }, { by: "v1" }),
      row("need not make a hundred", { path: "/none" }, { by: "ratings" }),
    ],
  },
  {
    about: "a policy for other origins",
    http: [
      {
        ...to("v1"),
        corsPolicy: { allowOrigins: [{ exact: "https://app.example.com" }], allowMethods: ["GET"], maxAge: "60s" },
      },
    ],
    rows: [
      row(
        "answers the question of a browser",
        { method: "OPTIONS", headers: { origin: "https://app.example.com", "access-control-request-method": "GET" } },
        {
          status: 200,
          headers: {
            "access-control-allow-origin": "https://app.example.com",
            "access-control-allow-methods": "GET",
            "access-control-max-age": "60",
          },
        },
      ),
      row(
        "marks answers to the origin",
        { headers: { origin: "https://app.example.com" } },
        {
          by: "v1",
          answered: { "access-control-allow-origin": "https://app.example.com" },
        },
      ),
      row(
        "does not mark answers to others",
        { headers: { origin: "https://evil.example.com" } },
        {
          by: "v1",
          answered: { "access-control-allow-origin": undefined },
        },
      ),
    ],
  },
  {
    about: "a missing destination",
    http: [
      { match: [{ uri: { exact: "/service" } }], ...to("missingService") },
      { match: [{ uri: { exact: "/subset" } }], ...to("missingSubset") },
      {
        match: [{ uri: { exact: "/half" } }],
        route: [
          { destination: destinations.missingService, weight: 0 },
          { destination: destinations.v1, weight: 100 },
        ],
      },
    ],
    rows: [
      row("a service: 503", { path: "/service" }, { status: 503 }),
      row("a subset: 503", { path: "/subset" }, { status: 503 }),
      row("a destination of no weight: nothing", { path: "/half" }, { by: "v1" }),
      row("a route: 404", { path: "/other" }, { status: 404 }),
    ],
  },
  {
    about: "a host",
    http: [to("v1")],
    rows: [
      row("is found in capitals", { host: (own) => own.toUpperCase() }, { by: "v1" }),
      row("is found with a port", { host: (own) => `${own}:1234` }, { by: "v1" }),
    ],
  },
];
