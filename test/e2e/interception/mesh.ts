import { objectYaml } from "../support/yaml.ts";

const outside = "10.77.0.3";

/** Addresses of services that no host has. */
export const addresses = {
  reviews: "10.96.0.1",
  raw: "10.96.0.2",
  secure: "10.96.0.3",
  guessed: "10.96.0.4",
  local: "10.96.0.5",
  ratings: "10.96.0.6",
} as const;

export function hostOf(name: string): string {
  return `${name}.shop.svc.cluster.local`;
}

interface Plan {
  readonly name: keyof typeof addresses;
  readonly port: number;
  readonly protocol?: string;
  readonly endpoints: readonly { readonly port: number; readonly address?: string; readonly labels?: object }[];
}

function service({ name, port, protocol, endpoints }: Plan): string {
  return objectYaml("ServiceEntry", name, {
    hosts: [hostOf(name)],
    addresses: [addresses[name]],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    // Without a protocol the proxy sniffs the first bytes.
    ports: [{ number: port, name: protocol === undefined ? "main" : protocol.toLowerCase(), protocol }],
    endpoints: endpoints.map(({ address = outside, port: target, labels }) => ({
      address,
      labels,
      ports: { [protocol === undefined ? "main" : protocol.toLowerCase()]: target },
    })),
  });
}

const [v1, v2] = [{ version: "v1" }, { version: "v2" }];
const reviews = hostOf("reviews");
const secure = hostOf("secure");

/** The configuration of the workload's proxy. */
export const mesh: Readonly<Record<string, string>> = {
  "reviews.yaml": service({
    name: "reviews",
    port: 80,
    protocol: "HTTP",
    endpoints: [
      { port: 8101, labels: v1 },
      { port: 8102, labels: v2 },
    ],
  }),
  "ratings.yaml": service({ name: "ratings", port: 80, protocol: "HTTP", endpoints: [{ port: 8102 }] }),
  "raw.yaml": service({ name: "raw", port: 5000, protocol: "TCP", endpoints: [{ port: 9101 }] }),
  "secure.yaml": service({
    name: "secure",
    port: 443,
    protocol: "TLS",
    endpoints: [
      { port: 9443, labels: v1 },
      { port: 9444, labels: v2 },
    ],
  }),
  "guessed.yaml": service({ name: "guessed", port: 7000, endpoints: [{ port: 8101 }] }),
  "local.yaml": service({
    name: "local",
    port: 80,
    protocol: "HTTP",
    endpoints: [{ address: "10.77.0.2", port: 18_101 }],
  }),
  "rules.yaml": [reviews, secure]
    .map((host, index) => {
      const subsets = [
        { name: "v1", labels: v1 },
        { name: "v2", labels: v2 },
      ];
      return objectYaml("DestinationRule", `rule-${index}`, { host, subsets });
    })
    .join("---\n"),
  "routes.yaml": [
    objectYaml("VirtualService", "reviews", {
      hosts: [reviews],
      http: [
        {
          match: [{ headers: { "x-user": { exact: "jason" } } }],
          route: [{ destination: { host: reviews, subset: "v2" } }],
        },
        { match: [{ uri: { prefix: "/closed" } }], directResponse: { status: 403, body: { string: "closed" } } },
        { route: [{ destination: { host: reviews, subset: "v1" } }] },
      ],
    }),
    objectYaml("VirtualService", "secure", {
      hosts: [secure, "second.example.com"],
      tls: [
        {
          match: [{ port: 443, sniHosts: [secure] }],
          route: [{ destination: { host: secure, subset: "v1" } }],
        },
        {
          match: [{ port: 443, sniHosts: ["second.example.com"] }],
          route: [{ destination: { host: secure, subset: "v2" } }],
        },
      ],
    }),
  ].join("---\n"),
};

/** Additional configuration that restricts the workload to the reviews. */
export const closed: Readonly<Record<string, string>> = {
  "sidecar.yaml": objectYaml("Sidecar", "default", {
    egress: [{ hosts: [`./${reviews}`] }],
    outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
  }),
};
