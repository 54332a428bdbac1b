import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";
import type { DiscoveryUnderTest } from "./discovery-oracle.ts";

/** The whole discovery server on a small mesh. */
export async function meshUnderTest(): Promise<DiscoveryUnderTest> {
  const mesh = await ScenarioMesh.serving(smallShop);
  const { discovery, observer, clock } = mesh;
  return {
    serve: (stream, kind) => discovery.serve(stream, kind),
    get connections() {
      return discovery.connections;
    },
    observer,
    clock,
    settle: async () => {
      await mesh.pushed();
      mesh.runs.length = 0;
      mesh.requests.length = 0;
    },
  };
}
