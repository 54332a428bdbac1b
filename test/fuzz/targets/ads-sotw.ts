import { clusterType, endpointType, listenerType, routeType } from "../../../src/xds/type-urls.ts";
import { checkDiscovery } from "../discovery-oracle.ts";
import { sotwSeed } from "../discovery-seeds.ts";
import { meshUnderTest } from "../mesh-under-test.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const mesh = await meshUnderTest();
const node = { id: "sidecar~10.0.0.9~a.shop~shop.svc.cluster.local", metadata: { NAMESPACE: "shop" } };
const router = {
  id: "router~10.0.0.8~gw.istio-system~istio-system.svc.cluster.local",
  metadata: { LABELS: { app: "gw" } },
};

/** Requests of proxies, state of the world: subscriptions, ACKs, NACKs, with or without a node. */
export const target: FuzzTarget = {
  name: "ads-sotw",
  mode: "async",
  seeds: () => [
    sotwSeed({ node, typeUrl: clusterType }, { typeUrl: clusterType, responseNonce: "1", versionInfo: "a" }),
    sotwSeed(
      { node, typeUrl: clusterType },
      { typeUrl: endpointType, resourceNames: ["outbound|9080||reviews.shop.svc.cluster.local"] },
      { typeUrl: listenerType, resourceNames: ["*"] },
      { typeUrl: routeType, resourceNames: ["9080", "x"] },
      { typeUrl: listenerType, responseNonce: "3", errorDetail: { code: 3, message: "no" } },
    ),
    // A word of the dictionary replaces a part of a long name, which leaves its length right.
    sotwSeed({ node, typeUrl: endpointType, resourceNames: [`outbound|80||${"long-name.".repeat(20)}shop.svc`] }),
    sotwSeed({ node: router, typeUrl: listenerType }, { typeUrl: routeType, resourceNames: ["http.8080"] }),
    sotwSeed({ typeUrl: "type.googleapis.com/a.B" }, { node, typeUrl: "type.googleapis.com/a.B" }),
  ],
  words: [...inheritedNames, clusterType, endpointType, listenerType, routeType, node.id, "9080", "*"],
  planted: {
    file: "src/xds/subscription/sotw.ts",
    before: "  const { first, nameSets, answerRepeats } = context;",
    text: "request.names.texts().join()",
  },
  check: (input) => checkDiscovery(mesh, "sotw", input),
};
