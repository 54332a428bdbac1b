import { HeldLeases, type LeasedContents } from "../../../src/testing/mesh/held-leases.ts";
import { ScenarioMesh } from "../../../src/testing/mesh/scenario-mesh.ts";
import { clientOf, type NodeFacts } from "./nodes.ts";

/** The resources that a fresh server with these objects serves to each client, as if it were the only one. */
export async function contentsAlone(objects: string, nodes: readonly NodeFacts[]): Promise<LeasedContents> {
  const mesh = await ScenarioMesh.serving(objects);
  return nodes.map((node) => {
    const alone = new HeldLeases(mesh.discovery.catalogue, [clientOf(node)]);
    const [contents = []] = alone.contents();
    // The catalogue drops unused parts: the next client's parts are made anew.
    alone.end();
    return contents;
  });
}
