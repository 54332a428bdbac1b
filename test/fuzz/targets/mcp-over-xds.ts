import { ConfigRig } from "../../../src/testing/mcp-over-xds/config-rig.ts";
import { smallShop } from "../../../src/testing/mesh/small-shop.ts";
import { checkDiscovery, type DiscoveryUnderTest } from "../discovery-oracle.ts";
import { deltaSeed, sotwSeed } from "../discovery-seeds.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const rig = new ConfigRig();
rig.world.apply(smallShop);
const server: DiscoveryUnderTest = {
  serve: (stream, kind) => rig.server.serve(stream, kind),
  connections: rig.server.connections,
  observer: rig.observer,
  clock: rig.clock,
  settle: () => Promise.resolve(),
};

const node = { id: "sidecar~10.0.0.2~istiod-0.istio-system~a", metadata: { GENERATOR: "api", ISTIO_REVISION: "r" } };
const gateways = "networking.istio.io/v1/Gateway";
const entries = "networking.istio.io/v1/ServiceEntry";

/** Requests of other control planes. The same bytes are read as both variants of the protocol. */
export const target: FuzzTarget = {
  name: "mcp-over-xds",
  mode: "async",
  seeds: () => [
    sotwSeed({ node, typeUrl: gateways }, { typeUrl: entries }, { typeUrl: gateways, responseNonce: "1" }),
    sotwSeed({ node, typeUrl: "networking.istio.io/v1alpha3/VirtualService" }, { typeUrl: gateways, versionInfo: "1" }),
    deltaSeed(
      { node, typeUrl: gateways, initialResourceVersions: { "istio-system/public": "1" } },
      { typeUrl: entries, resourceNamesSubscribe: ["shop/reviews"] },
      { typeUrl: gateways, responseNonce: "1", errorDetail: { code: 3, message: "no" } },
    ),
  ],
  words: [...inheritedNames, gateways, entries, "GENERATOR", "api", "ISTIO_REVISION", "v1alpha3", "v1beta1"],
  planted: { file: "src/mcp/xds/config-types.ts", before: "  return byTypeUrl.get(typeUrl);", text: "typeUrl" },
  check: async (input) => {
    for (const mode of ["sotw", "delta"] as const) await checkDiscovery(server, mode, input);
  },
};
