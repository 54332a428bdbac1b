import { ResourceSourceServer } from "../../mcp/source/resource-source-server.ts";
import type { SourceSettings } from "../../mcp/source/source-settings.ts";
import { FakeClock } from "../fake-clock.ts";
import { McpMesh } from "./mcp-mesh.ts";
import { RecordingSource } from "./mcp-observers.ts";

export const gateways = "istio/networking/v1alpha3/gateways";
export const rules = "istio/networking/v1alpha3/destinationrules";
export const serviceEntries = "istio/networking/v1alpha3/serviceentries";
export const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
export const virtualServices = "istio/networking/v1alpha3/virtualservices";

/** A source of four collections. `publish` writes objects, by key with their content, and takes a snapshot. */
export function sourceRig(settings: Partial<SourceSettings> = {}, observer = new RecordingSource()) {
  const clock = new FakeClock();
  const mesh = new McpMesh([gateways, rules, serviceEntries, synthetic]);
  const source = new ResourceSourceServer({ cache: mesh.cache, clock, observer, settings });
  const publish = (objects: Readonly<Record<string, string | undefined>>, collection = gateways) => {
    for (const [key, content] of Object.entries(objects)) {
      if (content === undefined) mesh.delete(collection, key);
      else mesh.set(collection, key, content);
    }
    mesh.publish();
  };
  return { clock, observer, mesh, source, publish };
}
