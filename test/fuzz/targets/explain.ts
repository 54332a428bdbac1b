import { readMesh } from "../../../src/app/offline/read-mesh.ts";
import { readSimulatedRequest } from "../../../src/explain/read-simulated-request.ts";
import { dumpFor, readDump } from "../../../src/cli/mesh/proxy-dump.ts";
import { explain } from "../../../src/explain/explain.ts";
import { lookupFor } from "../../../src/explain/near-misses/lookup-for.ts";
import { nearMissesFor } from "../../../src/explain/near-misses/near-misses-for.ts";
import { renderExplanation } from "../../../src/explain/render-explanation.ts";
import { deepEqual } from "../../../src/lib/equal.ts";
import { smallShop } from "../../../src/testing/mesh/small-shop.ts";
import { readNode } from "../../../src/pilot/xds/node.ts";
import { nodeBytesOf } from "../node-bytes.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const guarded = `---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: gateway, namespace: istio-system}
spec:
  selector: {matchLabels: {app: gw}}
  action: DENY
  rules: [{to: [{operation: {paths: [/admin*], methods: [POST]}}], when: [{key: "request.headers[x-role]", values: [guest]}]}]
`;
const settings = { mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" };
const mesh = await readMesh({ ...settings, inputs: [{ file: "shop.yaml", text: smallShop + guarded }] });
const proxies = [
  {
    proxy: readNode(
      nodeBytesOf("router~10.0.0.8~gw.istio-system~a", { LABELS: { app: "gw" }, NAMESPACE: "istio-system" }),
    ),
    direction: "gateway",
  },
  { proxy: readNode(nodeBytesOf("sidecar~10.0.0.1~reviews.shop~a", { NAMESPACE: "shop" })), direction: "outbound" },
  { proxy: readNode(nodeBytesOf("sidecar~10.0.0.1~reviews.shop~a", { NAMESPACE: "shop" })), direction: "inbound" },
] as const;
const worlds = proxies.map(({ proxy, direction }) => ({ proxy, direction, ...readDump(dumpFor(proxy, mesh)) }));

/** Requests for `explain`: method and URL in the first line, headers in the others. Every request has an outcome. */
export const target: FuzzTarget = {
  name: "explain",
  mode: "sync",
  words: [
    ...inheritedNames,
    "http://shop.example.com:8080/",
    "reviews.shop.svc.cluster.local:9080",
    "tcp://",
    "https://",
    "%2e%2e/",
    "end-user: jason",
    "x-role: guest",
    "//",
    "?",
    "[fd00::1]",
  ],
  planted: {
    file: "src/explain/route/find-route.ts",
    before: "  const route = chooseRoute(host.value, request);",
    text: "request.path.slice(1)",
  },
  check: (input) => {
    const [first = "", ...headers] = input.toString("utf8").split("\n");
    const [method = "", ...rest] = first.split(" ");
    const asked = orRefused(() => readSimulatedRequest(method, rest.join(" "), headers));
    if (asked === undefined) return;
    for (const { proxy, direction, config, referenceOf } of worlds) {
      const request = { ...asked, direction };
      const explanation = explain(config, request);
      promise(deepEqual(explain(config, request), explanation), "the same request has the same outcome");
      const lookup = lookupFor(explanation, request);
      const nearMisses = lookup === undefined ? [] : nearMissesFor({ proxy, push: mesh.push }, lookup);
      const text = renderExplanation({ ...explanation, nearMisses }, referenceOf);
      promise(text.length > 0 && text.length < 1_000_000, "an explanation has a bounded length");
      JSON.stringify(explanation);
    }
  },
};
