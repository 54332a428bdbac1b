import type { JsonObject } from "@bufbuild/protobuf";
import { type Area, group, type MeshObject, object, type Place, policy, row } from "../row.ts";
import { bearer, jwks, token } from "../tokens.ts";

const gatewayName = "gateway.networking.k8s.io/gateway-name";
const toService = (name: string) => [{ group: "", kind: "Service", name }];
const toEntry = (name: string) => [{ group: "networking.istio.io", kind: "ServiceEntry", name }];
const toGateway = (name: string) => [{ group: "gateway.networking.k8s.io", kind: "Gateway", name }];

const byPath = (path: string) => ({ action: "DENY", rules: [{ to: [{ operation: { paths: [path] } }] }] });
const everything = { action: "DENY", rules: [{}] };

function tokens(name: string, targetRefs: readonly JsonObject[]): MeshObject {
  return object("RequestAuthentication", name, {
    targetRefs: [...targetRefs],
    jwtRules: [{ issuer: "shop", jwks: jwks("one") }],
  });
}

/** A Kubernetes Service with a port of the workload. */
function serviceAt(name: string, port: number, { address }: Place): readonly MeshObject[] {
  const spec = { ports: [{ name: "http", port: 80, targetPort: port }] };
  const subsets = [{ addresses: [{ ip: address }], ports: [{ name: "http", port }] }];
  return [
    { apiVersion: "v1", kind: "Service", metadata: { name }, spec },
    { apiVersion: "v1", kind: "Endpoints", metadata: { name }, subsets },
  ];
}

function entryAt(name: string, port: number, { namespace, address }: Place): MeshObject {
  return object("ServiceEntry", name, {
    hosts: [`${name}.${namespace}.example.com`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "http", protocol: "HTTP" }],
    endpoints: [{ address }],
  });
}

const bad = { headers: bearer(token({ iss: "other" })) };

/** Policies with `targetRefs`. */
export const targets: Area = {
  groups: [
    group(
      "Policies of a Service",
      (place) => [
        policy("deny", { targetRefs: toService("web"), ...byPath("/admin") }),
        policy("others", { targetRefs: toService("elsewhere"), ...everything }),
        tokens("tokens", toService("web")),
        ...serviceAt("web", 8080, place),
        ...serviceAt("elsewhere", 7000, place),
      ],
      [
        row("reject a request at its port", { path: "/admin" }, 403, "AuthorizationPolicy deny rule 0"),
        row("reject a bad token at its port", bad, 401, "RequestAuthentication tokens"),
        row("let other requests pass", {}, 200),
        row("leave ports that are not of the Service", { protocol: "tcp" }, "answered"),
      ],
    ),
    group(
      "Policies of a ServiceEntry",
      (place) => [
        policy("deny", { targetRefs: toEntry("bytes"), ...everything }),
        tokens("tokens", toEntry("bytes")),
        entryAt("bytes", 9000, place),
      ],
      [
        row("close connections at its port", { protocol: "tcp" }, "closed", "AuthorizationPolicy deny rule 0"),
        row("leave ports that are not of the ServiceEntry", bad, 200),
      ],
    ),
    group(
      "Policies of a Service without this workload",
      [policy("deny", { targetRefs: toService("absent"), ...everything }), tokens("tokens", toService("absent"))],
      [row("do not apply", bad, 200), row("close no connections", { protocol: "tcp" }, "answered")],
    ),
    group(
      "Policies of a Gateway",
      [
        policy("deny", { targetRefs: toGateway("edge"), ...byPath("/admin") }),
        policy("others", { targetRefs: toGateway("elsewhere"), ...everything }),
        tokens("tokens", toGateway("edge")),
      ],
      [
        row("reject a request", { path: "/admin" }, 403, "AuthorizationPolicy deny rule 0"),
        row("reject a bad token", bad, 401, "RequestAuthentication tokens"),
        row("let other requests pass", {}, 200),
      ],
      { at: "router", alone: true, metadata: { LABELS: { app: "policies-of-a-gateway", [gatewayName]: "edge" } } },
    ),
    group(
      "Policies of a Gateway at a sidecar",
      [policy("deny", { targetRefs: toGateway("edge"), ...everything }), tokens("tokens", toGateway("edge"))],
      [row("do not apply", bad, 200)],
      { metadata: { LABELS: { app: "policies-of-a-gateway-at-a-sidecar", [gatewayName]: "edge" } } },
    ),
  ],
};
