import { keySetText } from "../key-set-text.ts";
import type { Example } from "../proof.ts";
import { object, router, service, workload } from "./context.ts";

const jwks = keySetText("inline");
const keys = { jwksUri: "https://a.example.com/keys" };

const paths = (how: string) => ({ excludedPaths: [{ [how]: "/a" }], includedPaths: [{ [how]: "/b" }] });

function token(issuer: string, more: object): object {
  return {
    jwt: {
      issuer,
      audiences: ["a"],
      jwtHeaders: ["x-a"],
      jwtParams: ["a"],
      triggerRules: ["exact", "prefix", "suffix", "regex"].map(paths),
      ...more,
    },
  };
}

const origins = [token("c", keys), token("d", { jwks })];
const strict = { mtls: { mode: "STRICT" } };
const specs = [
  { peers: [strict], origins, originIsOptional: false, peerIsOptional: true, principalBinding: "USE_ORIGIN" },
  { peers: [{ mtls: { allowTls: true } }] },
  { peers: [strict, token("a", keys), token("b", { jwks })] },
];

const ports = [
  { name: "http", port: 8080, targetPort: 8080 },
  { name: "more", port: 8090, targetPort: 8090 },
];

/** Services of Kubernetes with the workloads of `service("reviews")`. */
const services = ["reviews"].map((name) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "shop" },
  spec: { clusterIP: "10.6.0.1", selector: { app: "reviews" }, ports },
}));

const around = [
  service("reviews"),
  object("Gateway", "edge", {
    selector: { app: "gw" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
  ...services,
];

/** So that a lenient policy for some ports is a difference. */
const strictMesh = {
  apiVersion: "authentication.istio.io/v1alpha1",
  kind: "MeshPolicy",
  metadata: { name: "default" },
  spec: { peers: [strict] },
};

function example(kind: "Policy" | "MeshPolicy", spec: object): Example {
  const metadata = {
    name: "targets" in spec ? "some" : "default",
    ...(kind === "Policy" && { namespace: "shop" }),
  };
  const subject = { apiVersion: "authentication.istio.io/v1alpha1", kind, metadata, spec };
  return {
    subject,
    around: "targets" in spec ? [...around, strictMesh] : around,
    clients: [workload("reviews"), router],
  };
}

/** A whole mesh or namespace, and the ports of a service. */
export const legacyPolicies: readonly Example[] = [
  ...specs.flatMap((spec) => [example("Policy", spec), example("MeshPolicy", spec)]),
  example("Policy", {
    targets: [{ name: "reviews", ports: [{ number: 8080 }] }],
    peers: [{ mtls: { mode: "PERMISSIVE" } }],
  }),
  example("Policy", {
    targets: [{ name: "reviews", ports: [{ name: "http" }] }],
    peers: [{ mtls: { mode: "PERMISSIVE" } }],
  }),
];
