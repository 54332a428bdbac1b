import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";

const service = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ port: 80, name: http }, { port: 81, name: http-b }] }
---`;

const pod = (containers: string) => `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop, labels: { app: web } }
spec: { containers: [${containers}] }
---
apiVersion: v1
kind: Pod
metadata: { name: client, namespace: clients }
spec: { containers: [{ name: istio-proxy, image: a }] }
---`;

const policy = (spec: string, name = "web") => `
apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: { name: ${name}, namespace: shop }
spec: { ${spec} }
---`;

const meshPolicy = `
apiVersion: authentication.istio.io/v1alpha1
kind: MeshPolicy
metadata: { name: default }
spec: { peers: [{ mtls: {} }] }
---`;

const rule = (mode: string, { namespace = "shop", more = "" } = {}) => `
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: { name: web, namespace: ${namespace} }
spec: { host: web.shop.svc.cluster.local, trafficPolicy: { tls: { mode: ${mode} } } ${more} }
---`;

const inMesh = service + pod("{ name: istio-proxy, image: a }");
const strict = policy("peers: [{ mtls: {} }]", "default");
const permissive = policy("peers: [{ mtls: { mode: PERMISSIVE } }]", "default");

/** A conflict, reported on these objects. */
function conflict(...objects: readonly string[]): readonly string[] {
  return objects.map((object) => `IST0113 ${object} metadata.name`);
}

describe("mutual TLS without auto mTLS", () => {
  const analyzer = "auth.MTLSAnalyzer";
  const found = (text: string, mesh = "enableAutoMtls: false") => findingsOf(text, { analyzer, mesh });

  test.each([
    ["agrees when neither side uses it", inMesh, []],
    ["agrees when both sides use it", inMesh + strict + rule("ISTIO_MUTUAL"), []],
    ["agrees with a permissive server", inMesh + permissive + rule("ISTIO_MUTUAL"), []],
    ["fails when only the server requires it", inMesh + strict, conflict("Policy shop/default")],
    ["fails when only the clients use it", inMesh + rule("ISTIO_MUTUAL"), conflict("DestinationRule shop/web")],
    [
      "fails when a rule disables it",
      inMesh + strict + rule("DISABLE"),
      conflict("DestinationRule shop/web", "Policy shop/default"),
    ],
    ["fails once for a mesh without rules", inMesh + meshPolicy, conflict("MeshPolicy default")],
    [
      "heeds the policy of a port first",
      inMesh + strict + policy("targets: [{ name: web, ports: [{ number: 80 }, { number: 81 }] }]"),
      [],
    ],
    [
      "heeds the rules of the client's namespace first",
      inMesh + strict + rule("ISTIO_MUTUAL") + rule("DISABLE", { namespace: "clients" }),
      conflict("DestinationRule clients/web", "Policy shop/default"),
    ],
    [
      "ignores rules that are not exported",
      inMesh + strict + rule("ISTIO_MUTUAL", { more: ', exportTo: ["."]' }),
      conflict("Policy shop/default"),
    ],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test("does not work for workloads without a sidecar", () => {
    const text = service + pod("{ name: app }") + rule("ISTIO_MUTUAL");
    expect(found(text)).toEqual(["IST0115 DestinationRule shop/web spec.trafficPolicy"]);
  });

  test("is not reported if auto mTLS handles it", () => {
    expect(found(inMesh + strict, "")).toEqual([]);
  });

  test("applies to existing ports", () => {
    const named = policy("targets: [{ name: web, ports: [{ name: http }, { name: grpc }] }], peers: [{ mtls: {} }]");
    expect(found(inMesh + named, "")).toEqual(["IST0114 Policy shop/web spec.targets[0].ports[1].name"]);
  });
});
