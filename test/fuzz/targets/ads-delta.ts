import { clusterType, endpointType, listenerType, routeType } from "../../../src/xds/type-urls.ts";
import { checkDiscovery } from "../discovery-oracle.ts";
import { deltaSeed } from "../discovery-seeds.ts";
import { meshUnderTest } from "../mesh-under-test.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const mesh = await meshUnderTest();
const node = { id: "sidecar~10.0.0.9~a.shop~shop.svc.cluster.local", metadata: { NAMESPACE: "shop" } };
const reviews = "outbound|9080||reviews.shop.svc.cluster.local";

/** Requests of proxies, incremental: subscriptions, withdrawn names, versions of an earlier stream, ACKs, NACKs. */
export const target: FuzzTarget = {
  name: "ads-delta",
  mode: "async",
  seeds: () => [
    deltaSeed({ node, typeUrl: clusterType }, { typeUrl: clusterType, responseNonce: "1" }),
    deltaSeed(
      { node, typeUrl: clusterType, resourceNamesSubscribe: ["*"], initialResourceVersions: { [reviews]: "1", b: "" } },
      { typeUrl: endpointType, resourceNamesSubscribe: [reviews, "x"] },
      { typeUrl: endpointType, resourceNamesUnsubscribe: [reviews] },
      { typeUrl: clusterType, responseNonce: "1", errorDetail: { code: 3, message: "no" } },
      { typeUrl: clusterType, resourceNamesUnsubscribe: ["*"], resourceNamesSubscribe: [reviews] },
    ),
    // A word of the dictionary replaces a part of a long name, which leaves its length right.
    deltaSeed({ node, typeUrl: endpointType, resourceNamesSubscribe: [`outbound|80||${"long-name.".repeat(20)}shop`] }),
    deltaSeed({ node, typeUrl: listenerType }, { typeUrl: routeType, resourceNamesSubscribe: ["9080"] }),
  ],
  words: [...inheritedNames, clusterType, endpointType, listenerType, routeType, node.id, reviews, "*"],
  planted: {
    file: "src/xds/subscription/delta.ts",
    before: "  const { first, nameSets } = context;",
    text: "request.subscribe.texts().join()",
  },
  check: (input) => checkDiscovery(mesh, "delta", input),
};
