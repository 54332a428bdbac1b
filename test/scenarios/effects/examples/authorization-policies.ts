import type { Example } from "../proof.ts";
import { caller, object, router, service, settings, workload } from "./context.ts";

const source = {
  principals: ["a"],
  requestPrincipals: ["a"],
  namespaces: ["a"],
  ipBlocks: ["10.0.0.0/8"],
  remoteIpBlocks: ["10.0.0.0/8"],
  notIpBlocks: ["10.1.0.0/16"],
  notRemoteIpBlocks: ["10.1.0.0/16"],
  trustDomains: ["a"],
  notTrustDomains: ["b"],
  notPrincipals: ["b"],
  notRequestPrincipals: ["b"],
  notNamespaces: ["b"],
};
const operation = {
  hosts: ["a"],
  ports: ["80"],
  methods: ["GET"],
  paths: ["/a"],
  notHosts: ["b"],
  notPorts: ["81"],
  notMethods: ["PUT"],
  notPaths: ["/b"],
};
const target = { group: "networking.istio.io", kind: "ServiceEntry", name: "reviews" };
const http = { service: "authz.shop.svc.cluster.local", port: 8080 };

const extensionProviders = [
  {
    name: "http",
    envoyExtAuthzHttp: {
      ...http,
      pathPrefix: "/check",
      failOpen: true,
      statusOnError: "503",
      timeout: "1s",
      includeRequestHeadersInCheck: ["x-a"],
      includeAdditionalHeadersInCheck: { "x-b": "c" },
      includeRequestBodyInCheck: { maxRequestBytes: 10, allowPartialMessage: true, packAsBytes: true },
      headersToUpstreamOnAllow: ["x-c"],
      headersToDownstreamOnDeny: ["x-d"],
      headersToDownstreamOnAllow: ["x-e"],
      clearRouteCache: true,
    },
  },
  { name: "old", envoyExtAuthzHttp: { ...http, includeHeadersInCheck: ["x-a"] } },
  {
    name: "grpc",
    envoyExtAuthzGrpc: {
      ...http,
      failOpen: true,
      statusOnError: "503",
      timeout: "1s",
      includeRequestBodyInCheck: { maxRequestBytes: 10, allowPartialMessage: true, packAsBytes: true },
      clearRouteCache: true,
    },
  },
];

const around = [service("reviews"), service("authz"), settings("MeshConfig", { extensionProviders })];

function policy(spec: object): Example {
  return {
    subject: object("AuthorizationPolicy", "example", spec),
    around,
    clients: [workload("reviews"), caller, router],
  };
}

/** Each provider, for one workload that asks it. */
const providers: readonly Example[] = extensionProviders.map((provider) => ({
  subject: settings("MeshConfig", { extensionProviders: [provider] }),
  around: [
    service("reviews"),
    service("authz"),
    object("AuthorizationPolicy", "ask", { action: "CUSTOM", provider: { name: provider.name }, rules: [{}] }),
  ],
  clients: [workload("reviews")],
}));

export const authorizationPolicies: readonly Example[] = [
  policy({
    selector: { matchLabels: { app: "reviews" } },
    action: "DENY",
    rules: [
      {
        from: [{ source }, { source: { serviceAccounts: ["a"], notServiceAccounts: ["b"] } }],
        to: [{ operation }],
        when: [{ key: "request.headers[x-a]", values: ["a"], notValues: ["b"] }],
      },
    ],
  }),
  policy({ action: "CUSTOM", provider: { name: "http" }, rules: [{ to: [{ operation }] }] }),
  policy({ targetRef: target, rules: [{}] }),
  policy({ targetRefs: [target], rules: [{}] }),
  ...providers,
];
