import { expect, test } from "vitest";
import { conversionOf, endpoints, endpointsIn, serviceWith } from "../../../../testing/galley/reviews-service.ts";

const unknownLocality = { region: "", zone: "", subzone: "" };
const common = {
  address: "10.0.0.1",
  weight: 0,
  namespace: "shop",
  node: "",
  workloadName: "reviews-0",
  workloadKind: "Pod",
  ports: { http: 8080 },
  health: "healthy",
};

/** The endpoint at the address of a pod with these fields. */
function endpointAt({ labels = "{}", spec = "{}", status = "podIP: 10.0.0.1" }) {
  const pod = `
apiVersion: v1
kind: Pod
metadata: {name: reviews-0, namespace: shop, labels: ${labels}}
spec: ${spec}
status: {phase: Running, ${status}}
`;
  return endpointsIn(conversionOf(serviceWith("{}"), endpoints, pod));
}

test("an empty pod has no DNS name, no network and no account", () => {
  const said = { labels: {}, locality: unknownLocality, network: "", serviceAccount: "", hostname: "", subdomain: "" };
  expect(endpointAt({})).toEqual([{ ...common, ...said }]);
});

test("a pod with a subdomain uses its own name unless it has a hostname", () => {
  expect(endpointAt({ spec: "{subdomain: all}" })).toMatchObject([{ hostname: "reviews-0", subdomain: "all" }]);
  expect(endpointAt({ spec: "{subdomain: all, hostname: one}" })).toMatchObject([{ hostname: "one" }]);
  expect(endpointAt({ spec: "{hostname: one}" })).toMatchObject([{ hostname: "one", subdomain: "" }]);
});

test("a pod's labels determine its locality, as far as they go", () => {
  const labels = "{istio-locality: eu, topology.istio.io/network: far}";
  expect(endpointAt({ labels })).toMatchObject([{ locality: { ...unknownLocality, region: "eu" }, network: "far" }]);
});

test("a pod runs under the account of the newer field, else of the older one", () => {
  expect(endpointAt({ spec: "{serviceAccount: old}" })).toMatchObject([{ serviceAccount: "old" }]);
  expect(endpointAt({ spec: "{serviceAccount: old, serviceAccountName: new}" })).toMatchObject([
    { serviceAccount: "new" },
  ]);
});

test("a pod is found by each of its addresses", () => {
  expect(endpointAt({ status: 'podIPs: [{ip: "fd00::1"}, {ip: 10.0.0.1}]' })).toMatchObject([{ workloadKind: "Pod" }]);
});
