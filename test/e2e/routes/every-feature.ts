const host = "reviews.shop.svc.cluster.local";
const route = [{ destination: { host } }];

/** One route per kind of match. None of them matches the paths that tests call. */
export const everyMatch: readonly object[] = [
  { uri: { exact: "/match/exact" } },
  { uri: { prefix: "/match/prefix" }, ignoreUriCase: true },
  { uri: { regex: "/match/(?:a|b)+" } },
  // A program of about 20 000 instructions. An Envoy accepts 100 unless its bootstrap sets a higher limit.
  { uri: { regex: "/match/(?:aaaaaaaaaabbbbbbbbbb){1000}" } },
  { uri: { prefix: "/match" }, method: { exact: "PUT" }, scheme: { prefix: "ht" }, authority: { regex: ".*shop.*" } },
  {
    uri: { prefix: "/match" },
    headers: { "x-a": { exact: "1" }, "x-b": { prefix: "2" }, "x-c": { regex: "3.*" }, "x-d": {} },
  },
  { uri: { prefix: "/match" }, withoutHeaders: { "x-a": { exact: "1" }, "x-e": { regex: "*" } } },
  { uri: { prefix: "/match" }, queryParams: { q: { exact: "1" }, r: { regex: "2.*" }, s: {} } },
  { uri: { prefix: "/match" }, sourceNamespace: "default", statPrefix: "counted", name: "by-source" },
  { uri: { prefix: "/match" }, sourceLabels: { app: "client" }, port: 1 },
].map((match, index) => ({ name: `match-${index}`, match: [match], route }));

/** The claims of a request are known where it enters the mesh. */
export const claimMatch: object = {
  match: [{ uri: { prefix: "/match" }, headers: { "@request.auth.claims.group": { exact: "a" } } }],
  route,
};

const everywhere = { destination: { host, subset: "v1" } };

/** One route per kind of action, and of intermediate step. The last one matches everything else. */
export const everyAction: readonly object[] = [
  at("redirect", {
    redirect: { uri: "/new", authority: "a.example.com", scheme: "https", redirectCode: 308, port: 8443 },
  }),
  at("derived", { redirect: { derivePort: "FROM_REQUEST_PORT", redirectCode: 302 } }),
  { match: [{ uri: { exact: "/said" } }], directResponse: { status: 200, body: { string: "said at once" } } },
  at("bytes", { directResponse: { status: 503, body: { bytes: "AAEC" } } }),
  at("rewrite", { rewrite: { uri: "/r", authority: "other.example.com" }, route }),
  at("regex", { rewrite: { uriRegexRewrite: { match: "^/(.*)$", rewrite: "/x/\\1" } }, route }),
  at("mirror", { mirror: { host, subset: "v2" }, mirrorPercentage: { value: 0.5 }, route }),
  at("mirrors", {
    mirrors: [{ destination: { host }, percentage: { value: 5 } }, { destination: { host, subset: "v1" } }],
    route,
  }),
  at("cors", {
    corsPolicy: {
      allowOrigins: [{ exact: "https://a" }, { regex: "https://.*" }],
      allowMethods: ["GET"],
      allowHeaders: ["x-a"],
      exposeHeaders: ["x-b"],
      maxAge: "60s",
      allowCredentials: true,
      unmatchedPreflights: "IGNORE",
    },
    route,
  }),
  at("delay", { fault: { delay: { fixedDelay: "0.1s", percentage: { value: 1 } } }, route }),
  at("abort", { fault: { abort: { httpStatus: 418, percentage: { value: 1 } } }, route }),
  // Users may write it, and Envoy rejects it: the other routes must not suffer.
  at("odd-abort", { fault: { abort: { httpStatus: 600, percentage: { value: 100 } } }, route }),
  at("grpc-abort", { fault: { abort: { grpcStatus: "UNAVAILABLE", percentage: { value: 1 } } }, route }),
  at("retries", {
    retries: {
      attempts: 3,
      perTryTimeout: "2s",
      retryOn: "gateway-error,503,reset",
      retryRemoteLocalities: true,
      retryIgnorePreviousHosts: false,
      backoff: "0.05s",
    },
    timeout: "5s",
    route,
  }),
  at("never-again", { retries: { attempts: 0 }, route }),
  at("headers", {
    headers: {
      request: {
        set: { "x-a": "1", ":authority": "set.example.com" },
        add: { "x-b": "%DOWNSTREAM_REMOTE_ADDRESS%" },
        remove: ["x-c"],
      },
      response: { set: { "x-d": "1" }, add: { "x-e": "2" }, remove: ["x-f"] },
    },
    route: [
      {
        ...everywhere,
        headers: { request: { set: { host: "ignored.example.com" } }, response: { add: { "x-g": "3" } } },
      },
    ],
  }),
  at("weights", {
    route: [
      { destination: { host, subset: "v1" }, weight: 1, headers: { request: { set: { "x-v": "1" } } } },
      { destination: { host, subset: "v2" }, weight: 2 },
      { destination: { host: "nobody.shop.svc.cluster.local" }, weight: 0 },
    ],
  }),
  at("unknown", { route: [{ destination: { host: "nobody.example.com", subset: "none", port: { number: 81 } } }] }),
  at("delegated", { delegate: { name: "missing" } }),
  { route },
];

function at(path: string, rest: object): object {
  return { name: path, match: [{ uri: { prefix: `/action/${path}` } }], ...rest };
}
