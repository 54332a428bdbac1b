import { describe, expect, test } from "vitest";
import { findingsOf } from "../../../testing/config/analysis-input.ts";

const cluster = `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{name: http, port: 80}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: client, namespace: shop}}
`;

function object(kind: string, spec: string, group = "networking"): string {
  return `{apiVersion: ${group}.istio.io/v1, kind: ${kind}, metadata: {name: a, namespace: shop}, spec: ${spec}}`;
}

function said(analyzer: string, ...texts: readonly string[]): readonly string[] {
  return findingsOf([cluster, ...texts].join("\n---\n"), { analyzer: `references.${analyzer}` });
}

function tlsRule(credentialName: string): string {
  return `{host: cart, trafficPolicy: {tls: {mode: SIMPLE, credentialName: "${credentialName}"}}}`;
}

describe("a credential of a destination rule", () => {
  test.each(["client", "kubernetes://client", "client-cacert", "builtin://"])("may be %s", (name) => {
    expect(said("CredentialAnalyzer", object("DestinationRule", tlsRule(name)))).toEqual([]);
  });

  test("is also checked in subsets and ports", () => {
    const tls = "{tls: {mode: SIMPLE, credentialName: lost}}";
    const port = "{port: {number: 80}, tls: {mode: SIMPLE, credentialName: gone}}";
    const spec = `{host: cart, subsets: [{name: v1, trafficPolicy: ${tls}}], trafficPolicy: {portLevelSettings: [${port}]}}`;
    expect(said("CredentialAnalyzer", object("DestinationRule", spec))).toEqual([
      "BIN0001 DestinationRule shop/a spec.trafficPolicy.portLevelSettings[0].tls.credentialName",
      "BIN0001 DestinationRule shop/a spec.subsets[0].trafficPolicy.tls.credentialName",
    ]);
  });
});

describe("an import of a Sidecar", () => {
  test.each(["./*", "*/*", "~/*", "shop/cart.shop.svc.cluster.local", "./*.gone.example", "shop/*"])(
    "may be %s",
    (host) => {
      const text = object("Sidecar", `{egress: [{hosts: ["${host}"]}]}`);
      expect([...said("EgressHostAnalyzer", text), ...said("NamespaceAnalyzer", text)]).toEqual([]);
    },
  );

  test("may be the host of a virtual service, or a host of a wildcard service", () => {
    const many = "{hosts: ['*.wild.example'], ports: [{number: 80, name: http, protocol: HTTP}]}";
    const named = "{hosts: [named.example], http: [{directResponse: {status: 200}}]}";
    const sidecar = object("Sidecar", "{egress: [{hosts: ['*/named.example', '*/a.wild.example', '*/gone.example']}]}");
    const texts = [object("ServiceEntry", many), object("VirtualService", named), sidecar];
    expect(said("EgressHostAnalyzer", ...texts)).toEqual(["BIN0001 Sidecar shop/a spec.egress[0].hosts[2]"]);
  });
});

test("namespaces are not reported if the files have none", () => {
  const texts = [object("DestinationRule", "{host: cart, exportTo: [gone]}"), "{apiVersion: v1, kind: Pod}"];
  expect(findingsOf(texts.join("\n---\n"), { analyzer: "references.NamespaceAnalyzer" })).toEqual([]);
});

test("networks are not reported if none has a name", () => {
  expect(said("NetworkAnalyzer", object("WorkloadEntry", "{address: 10.0.0.1, network: gone}"))).toEqual([]);
});

test("a policy of the whole mesh may select workloads of any namespace", () => {
  const pod = "{apiVersion: v1, kind: Pod, metadata: {name: cart-0, namespace: shop, labels: {app: cart}}}";
  const policy = object("PeerAuthentication", "{selector: {matchLabels: {app: cart}}}", "security");
  const elsewhere = (namespace: string) => policy.replace("namespace: shop", `namespace: ${namespace}`);
  expect(said("SelectorAnalyzer", pod, elsewhere("istio-system"))).toEqual([]);
  expect(said("SelectorAnalyzer", pod, elsewhere("other"))).toEqual([
    "BIN0001 PeerAuthentication other/a spec.selector.matchLabels",
  ]);
});

test("a delegate may be in another namespace", () => {
  const root = object("VirtualService", "{hosts: [cart], http: [{delegate: {name: a, namespace: other}}]}");
  const delegate = object("VirtualService", "{http: [{directResponse: {status: 200}}]}");
  expect(said("DelegateAnalyzer", root, delegate.replace("namespace: shop", "namespace: other"))).toEqual([]);
  expect(said("DelegateAnalyzer", root)).toEqual(["BIN0001 VirtualService shop/a spec.http[0].delegate.name"]);
});

test("built-in providers of a mesh need no definition", () => {
  const telemetry = object("Telemetry", "{metrics: [{providers: [{name: prometheus}, {name: gone}]}]}", "telemetry");
  expect(said("ProviderAnalyzer", telemetry)).toEqual(["BIN0001 Telemetry shop/a spec.metrics[0].providers[1].name"]);
});
