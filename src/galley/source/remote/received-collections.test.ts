import { describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { gateways, serviceEntries } from "../../../testing/mcp/mcp-source-rig.ts";
import { lackedBy } from "../mcp/istio-galley.ts";
import { filledBy, receivedCollections } from "./received-collections.ts";

function namesOf(collections: readonly McpCollection[]): readonly string[] {
  return collections.map(({ name }) => name);
}

describe("the requested collections", () => {
  test("are all MCP collections, without inputs that Galley has already converted", () => {
    const names = receivedCollections(kinds, { forwards: true }).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([gateways, serviceEntries, "istio/mesh/v1alpha1/MeshConfig", "binnacle/services"]),
    );
    expect(names.filter((name) => name.startsWith("k8s/") || name.includes("synthetic"))).toEqual([]);
  });

  test("fill the same collections as other sources, and a separate one for services", () => {
    expect(filledBy(travelling(serviceEntries))).toBe("k8s/networking.istio.io/v1alpha3/serviceentries");
    expect(filledBy(travelling("binnacle/services"))).toBe(receivedServices);
  });

  test("are only the wanted ones: no services without service discovery", () => {
    const wanted = kinds.filter(({ requiredForServiceDiscovery }) => requiredForServiceDiscovery !== true);
    expect(receivedCollections(wanted, { forwards: true }).map(({ name }) => name)).not.toContain("binnacle/services");
  });

  test("exclude Mixer's kinds, unless they may be forwarded", () => {
    const [all, used] = [true, false].map((forwards) => namesOf(receivedCollections(kinds, { forwards })));
    const mixer = (all ?? []).filter((name) => !used?.includes(name));
    expect(mixer).toEqual(
      expect.arrayContaining(["istio/policy/v1beta1/rules", "istio/config/v1alpha2/legacy/apikeys"]),
    );
    expect(mixer.every((name) => /^istio\/(?:config|mixer|policy)\//u.test(name))).toBe(true);
    expect(used).toEqual(expect.arrayContaining([gateways, "istio/rbac/v1alpha1/serviceroles"]));
  });

  test("need fewer requests at a start than the 100 that Galley 1.3.6 answers at once", async () => {
    const collections = receivedCollections(kinds, { forwards: false });
    const lacked = new Set(lackedBy("istio-1.3", collections));
    const served = collections.map(({ name }) => name).filter((name) => !lacked.has(name));
    const rig = await McpSinkRig.start(...served);
    for (const collection of served) rig.push({ collection });
    expect(rig.heard.events.filter(({ type }) => type === "fullSync")).toHaveLength(served.length);
    expect(rig.requests()).toHaveLength(26);
  });
});
