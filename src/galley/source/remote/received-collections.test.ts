import { describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { entries, gateways } from "../../../testing/mcp/mcp-source-rig.ts";
import { filledBy, receivedCollections } from "./received-collections.ts";

describe("what is asked for", () => {
  test("is all that travels, without what Kubernetes' objects were made into already", () => {
    const names = receivedCollections(kinds).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([gateways, entries, "istio/mesh/v1alpha1/MeshConfig", "binnacle/services"]),
    );
    expect(names.filter((name) => name.startsWith("k8s/") || name.includes("synthetic"))).toEqual([]);
  });

  test("fills the collections that other sources fill, and one of its own for services", () => {
    expect(filledBy(travelling(entries))).toBe("k8s/networking.istio.io/v1alpha3/serviceentries");
    expect(filledBy(travelling("binnacle/services"))).toBe(receivedServices);
  });

  test("is only what is wanted: no services where there is no service discovery", () => {
    const wanted = kinds.filter(({ requiredForServiceDiscovery }) => requiredForServiceDiscovery !== true);
    expect(receivedCollections(wanted).map(({ name }) => name)).not.toContain("binnacle/services");
  });
});
