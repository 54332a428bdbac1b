import { describe, expect, test } from "vitest";
import { JournalMesh } from "../../testing/desk/journal-mesh.ts";
import { CallClasses } from "./call-classes.ts";
import { groupByCallers, namespaceCalls } from "./namespace-calls.ts";

const mtls = "labels: {app: cart, security.istio.io/tlsMode: istio}";

const turn = () => Promise.resolve();

/** A service of the namespace `shop`, which callers in `web` call. */
function cart({ exportTo = "*", labels = mtls, location = "MESH_INTERNAL" } = {}): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: cart, namespace: shop}
spec:
  hosts: [cart.shop]
  exportTo: ["${exportTo}"]
  location: ${location}
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1, ${labels}}]
`;
}

function object(kind: string, spec: string, name = "x", namespace = "shop"): string {
  const group = ["Sidecar", "DestinationRule"].includes(kind) ? "networking" : "security";
  return `
apiVersion: ${group}.istio.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;
}

const policy = (spec: string, name?: string) => object("AuthorizationPolicy", spec, name);
const strict = object("PeerAuthentication", "{mtls: {mode: STRICT}}");
const noTls = object("DestinationRule", "{host: cart.shop, trafficPolicy: {tls: {mode: DISABLE}}}", "plain", "web");
const webOnly = object("Sidecar", '{egress: [{hosts: ["./*"]}]}', "s", "web");
const registryOnly = object(
  "Sidecar",
  '{outboundTrafficPolicy: {mode: REGISTRY_ONLY}, egress: [{hosts: ["./*"]}]}',
  "s",
  "web",
);

async function pushOf(...objects: readonly string[]) {
  return (await JournalMesh.serving(objects.join("---"))).discovery.catalogue.published;
}

/** `verdict: text (objects)` of the reason that decides about calls from `web` to the service. */
async function decided(...objects: readonly string[]): Promise<string> {
  const push = await pushOf(...objects);
  const classes = new CallClasses(push);
  const service = [...push.services.values()].find(({ namespace }) => namespace === "shop");
  if (service === undefined) throw new Error("there is no service");
  const { verdict, reasons } = classes.decide(classes.caller("web"), classes.callee(service));
  const [first] = reasons;
  return `${verdict}: ${first?.text ?? ""} (${first?.objects.join(", ") ?? ""})`;
}

describe("a call from another namespace", () => {
  test.each<[string, string, readonly string[]]>([
    ["without any rule", "allowed: no AuthorizationPolicy applies to it ()", [cart()]],
    [
      "to a service that is not exported",
      "depends: its exportTo leaves out web; a connection to its address passes in plain text (ServiceEntry/shop/cart)",
      [cart({ exportTo: "." })],
    ],
    [
      "that the caller's Sidecar does not import",
      "depends: the Sidecar of the caller does not import it; a connection to its address passes in plain text (Sidecar/web/s)",
      [cart(), webOnly],
    ],
    [
      "that the caller's Sidecar refuses",
      "denied: the Sidecar of the caller does not import it; REGISTRY_ONLY refuses other addresses (Sidecar/web/s)",
      [cart(), registryOnly],
    ],
    [
      "in plain text, which passes the Sidecar, to a workload that needs mutual TLS",
      "denied: it accepts mutual TLS only, and the caller sends plain text (PeerAuthentication/shop/x)",
      [cart(), webOnly, strict],
    ],
    [
      "to a service outside of the mesh",
      "allowed: it is outside of the mesh, and decides itself ()",
      [cart({ location: "MESH_EXTERNAL" }), policy("{}")],
    ],
    ["to a workload that needs mutual TLS", "allowed: no AuthorizationPolicy applies to it ()", [cart(), strict]],
    [
      "in plain text by a DestinationRule, to a workload that needs mutual TLS",
      "denied: it accepts mutual TLS only, and the caller sends plain text (PeerAuthentication/shop/x, DestinationRule/web/plain)",
      [cart(), strict, noTls],
    ],
    [
      "to endpoints that do not speak mutual TLS, which the workload needs",
      "denied: it accepts mutual TLS only, and the caller sends plain text (PeerAuthentication/shop/x)",
      [cart({ labels: "labels: {app: cart}" }), strict],
    ],
    [
      "under an ALLOW policy without rules",
      "denied: there are ALLOW policies, and none matches the caller (AuthorizationPolicy/shop/x)",
      [cart(), policy("{}")],
    ],
    [
      "under a policy that allows its namespace",
      "allowed: an ALLOW policy matches every request of the caller (AuthorizationPolicy/shop/x)",
      [cart(), policy("{rules: [{from: [{source: {namespaces: [web]}}]}]}")],
    ],
    [
      "under a policy that allows its namespace, without its identity",
      "denied: there are ALLOW policies, and none matches the caller (AuthorizationPolicy/shop/x)",
      [cart(), noTls, policy("{rules: [{from: [{source: {namespaces: [web]}}]}]}")],
    ],
    [
      "under a policy that allows another namespace",
      "denied: there are ALLOW policies, and none matches the caller (AuthorizationPolicy/shop/x)",
      [cart(), policy("{rules: [{from: [{source: {namespaces: [ops]}}]}]}")],
    ],
    [
      "under a policy that allows one of its accounts",
      "depends: ALLOW policies match some requests, and deny the others (AuthorizationPolicy/shop/x)",
      [cart(), policy("{rules: [{from: [{source: {principals: [cluster.local/ns/web/sa/a]}}]}]}")],
    ],
    [
      "under a policy that allows one method",
      "depends: ALLOW policies match some requests, and deny the others (AuthorizationPolicy/shop/x)",
      [cart(), policy("{rules: [{to: [{operation: {methods: [GET]}}]}]}")],
    ],
    [
      "under a policy that allows its port",
      "allowed: an ALLOW policy matches every request of the caller (AuthorizationPolicy/shop/x)",
      [cart(), policy("{rules: [{to: [{operation: {ports: ['80']}}]}]}")],
    ],
    [
      "under a policy that denies all",
      "denied: a DENY policy matches every request of the caller (AuthorizationPolicy/shop/x)",
      [cart(), policy("{action: DENY, rules: [{}]}")],
    ],
    [
      "under a policy that denies another namespace",
      "allowed: no AuthorizationPolicy denies it ()",
      [cart(), policy("{action: DENY, rules: [{from: [{source: {namespaces: [ops]}}]}]}")],
    ],
    [
      "under a policy for other workloads",
      "allowed: no AuthorizationPolicy applies to it ()",
      [cart(), policy("{selector: {matchLabels: {app: other}}, action: DENY, rules: [{}]}")],
    ],
    [
      "under a policy in a dry run that denies all",
      "allowed: no AuthorizationPolicy denies it ()",
      [
        cart(),
        policy("{action: DENY, rules: [{}]}").replace("name: x,", 'name: x, annotations: {istio.io/dry-run: "true"},'),
      ],
    ],
    [
      "over TCP, under a policy that allows its port or a method",
      "denied: there are ALLOW policies, and none matches the caller (AuthorizationPolicy/shop/x)",
      [
        cart().replace("protocol: HTTP", "protocol: TCP"),
        policy("{rules: [{to: [{operation: {ports: ['80']}}, {operation: {methods: [GET]}}]}]}"),
      ],
    ],
    [
      "over TCP, under a policy that denies a method",
      "denied: a DENY policy matches every request of the caller (AuthorizationPolicy/shop/x)",
      [
        cart().replace("protocol: HTTP", "protocol: TCP"),
        policy("{action: DENY, rules: [{to: [{operation: {methods: [GET]}}]}]}"),
      ],
    ],
  ])("%s", async (_, expected, objects) => {
    expect(await decided(...objects)).toBe(expected);
  });

  test("depends on the caller's workload if only some have a Sidecar", async () => {
    const some = object(
      "Sidecar",
      '{workloadSelector: {labels: {app: a}}, outboundTrafficPolicy: {mode: REGISTRY_ONLY}, egress: [{hosts: ["./*"]}]}',
      "s",
      "web",
    );
    expect(await decided(cart(), some)).toBe("depends: the caller's workloads have different Sidecars ()");
  });
});

test("calls between namespaces are counted, and services with the same callers are one group", async () => {
  const other = cart().replace("name: cart,", "name: other,").replace("cart.shop", "other.shop");
  const closed = policy("{selector: {matchLabels: {app: pay}}}");
  const pay = cart({ labels: "labels: {app: pay, security.istio.io/tlsMode: istio}" })
    .replace("name: cart,", "name: pay,")
    .replace("cart.shop", "pay.shop");
  const push = await pushOf(cart(), other, pay, closed);
  expect(await namespaceCalls(["shop", "web"], push, turn)).toEqual([
    { from: "shop", to: "shop", allowed: 2, depends: 0, denied: 1 },
    { from: "shop", to: "web", allowed: 0, depends: 0, denied: 0 },
    { from: "web", to: "shop", allowed: 2, depends: 0, denied: 1 },
    { from: "web", to: "web", allowed: 0, depends: 0, denied: 0 },
  ]);
  const groups = await groupByCallers([...push.services.values()], ["shop", "web"], push, turn);
  const shown = groups.map(({ services, callers }) => [
    services.map(({ hostname }) => hostname).toSorted(),
    callers.map(({ namespaces, verdict }) => `${namespaces.join()} ${verdict}`),
  ]);
  expect(shown).toEqual([
    [["cart.shop", "other.shop"], ["shop,web allowed"]],
    [["pay.shop"], ["shop,web denied"]],
  ]);
});
