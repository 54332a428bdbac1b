import fc from "fast-check";

/** The action of an HTTP route: its fields beside `name` and `match`. */
export interface Action {
  /** The names of the action in the histogram. */
  readonly kinds: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
}

const reviews = "reviews.shop.svc.cluster.local";
const ratings = "ratings.shop.svc.cluster.local";
/** Without its own port, a destination in a sidecar uses the port of the request. */
const port = { number: 9080 };

const destination = fc.oneof(
  fc.constant({ kinds: ["whole service"], destination: { host: ratings, port } }),
  fc.constantFrom("v1", "v2").map((subset) => ({ kinds: ["subset"], destination: { host: reviews, subset, port } })),
);

/** References to missing objects are valid. The documentation defines the result of such requests. */
const dangling = fc.constantFrom(
  { kinds: ["missing service"], destination: { host: "nobody.shop.svc.cluster.local" } },
  { kinds: ["missing subset"], destination: { host: reviews, subset: "v9", port } },
);

const forwards = fc.oneof(
  { weight: 8, arbitrary: destination.map((one) => ({ kinds: one.kinds, route: [{ destination: one.destination }] })) },
  { weight: 1, arbitrary: dangling.map((one) => ({ kinds: one.kinds, route: [{ destination: one.destination }] })) },
  {
    weight: 2,
    arbitrary: fc.tuple(destination, destination, fc.constantFrom(0, 50, 100)).map(([first, second, weight]) => ({
      kinds: ["weights"],
      route: [
        { destination: first.destination, weight },
        { destination: second.destination, weight: 100 - weight },
      ],
    })),
  },
);

function extra(kind: string, spec: object) {
  return { kinds: [kind], spec };
}

/** Fields beside a destination. */
const extras = fc.constantFrom(
  extra("rewrite of the path", { rewrite: { uri: "/new" } }),
  extra("rewrite of the host", { rewrite: { authority: "other.example.com" } }),
  extra("rewrite by regex", { rewrite: { uriRegexRewrite: { match: "^/([^/]+)", rewrite: "/was/\\1" } } }),
  extra("abort", { fault: { abort: { httpStatus: 418, percentage: { value: 100 } } } }),
  extra("abort of none", { fault: { abort: { httpStatus: 418, percentage: { value: 0 } } } }),
  extra("timeout", { timeout: "5s" }),
  extra("retries", { retries: { attempts: 2, retryOn: "5xx", perTryTimeout: "2s" } }),
  extra("mirror", { mirror: { host: ratings, port } }),
  extra("request headers", { headers: { request: { set: { "x-set": "yes" }, remove: ["x-user"] } } }),
);

const forwardings = fc
  .tuple(forwards, fc.option(extras, { nil: extra("nothing beside", {}), freq: 2 }))
  .map(
    ([{ kinds, route }, beside]): Action => ({ kinds: [...kinds, ...beside.kinds], spec: { route, ...beside.spec } }),
  );

const code = fc.constantFrom(301, 302, 303, 307, 308);
const redirects = fc
  .tuple(
    code,
    fc.constantFrom(
      extra("redirect of the path", { uri: "/moved" }),
      extra("redirect of the host", { authority: "new.example.com" }),
      extra("redirect of the scheme", { scheme: "https" }),
      extra("redirect of the port", { port: 8443 }),
      extra("redirect of all", { scheme: "https", authority: "new.example.com", uri: "/moved", port: 8443 }),
    ),
  )
  .map(([redirectCode, { kinds, spec }]): Action => ({ kinds, spec: { redirect: { redirectCode, ...spec } } }));

const responses = fc
  .tuple(fc.constantFrom(200, 401, 404, 503), fc.constantFrom("no", ""))
  .map(([status, text]): Action => {
    const body = text === "" ? {} : { body: { string: text } };
    return { kinds: ["direct response"], spec: { directResponse: { status, ...body } } };
  });

export const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 16, arbitrary: forwardings },
  { weight: 2, arbitrary: redirects },
  { weight: 1, arbitrary: responses },
);
