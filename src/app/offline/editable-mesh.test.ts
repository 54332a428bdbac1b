import { describe, expect, test } from "vitest";
import type { Config } from "../../config/config.ts";
import { smallShop } from "../../testing/mesh/small-shop.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { writtenObject } from "../../config/written/written-object.ts";
import { EditableMesh } from "./editable-mesh.ts";

const settings = { mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" };
const router = proxyWithName("router~10.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local", {
  LABELS: { app: "gw" },
});

async function open(...texts: readonly string[]) {
  return await EditableMesh.open({
    inputs: texts.map((text, index) => ({ file: `${index}.yaml`, text })),
    ...settings,
  });
}

function versions(mesh: EditableMesh): readonly string[] {
  return mesh.types.flatMap((type) =>
    mesh.resourcesFor(router, type).map(({ name, version }) => `${type.shortName} ${name} ${version}`),
  );
}

function named(mesh: EditableMesh, kind: string, name: string): Config {
  const found = mesh.objects.find((each) => each.kind === kind && each.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** The object with the name of another one. */
function renamed(object: Config, name: string): Config | undefined {
  const written = writtenObject(object);
  const leaf = written?.leaves.find(({ path }) => path === "metadata.name");
  return leaf && written?.rewritten(leaf, name);
}

describe("an editable mesh", () => {
  test("has the resources of a mesh without the object while the object is removed, and its own again afterwards", async () => {
    const without = smallShop
      .split("---\n")
      .filter((text) => !text.includes("name: shop,"))
      .join("---\n");
    await using mesh = await open(smallShop);
    await using expected = await open(without);
    const before = versions(mesh);
    await mesh.edit([{ object: named(mesh, "VirtualService", "shop"), version: undefined }]);
    expect(versions(mesh)).toEqual(versions(expected));
    expect(versions(mesh)).not.toEqual(before);
    await mesh.edit([]);
    expect(versions(mesh)).toEqual(before);
  });

  test("changes an earlier edit back when it gets another one", async () => {
    await using mesh = await open(smallShop);
    const before = versions(mesh);
    await mesh.edit([{ object: named(mesh, "VirtualService", "shop"), version: undefined }]);
    await mesh.edit([{ object: named(mesh, "VirtualService", "reviews"), version: undefined }]);
    // A router has no routes for sidecars.
    expect(versions(mesh)).toEqual(before);
  });

  test("gives an object another name", async () => {
    await using mesh = await open(smallShop);
    await using expected = await open(
      smallShop.replace("{name: shop, namespace: shop}", "{name: store, namespace: shop}"),
    );
    const object = named(mesh, "VirtualService", "shop");
    await mesh.edit([{ object, version: renamed(object, "store") }]);
    expect(versions(mesh)).toEqual(versions(expected));
  });

  test("shows the object of a second source while that of the first is removed", async () => {
    const second = smallShop.replace("shop.example.com]\n  gateways", "shop.example.org]\n  gateways");
    await using mesh = await open(smallShop, second);
    await using expected = await open(second);
    await mesh.edit([{ object: named(mesh, "VirtualService", "shop"), version: undefined }]);
    expect(versions(mesh)).toEqual(versions(expected));
  });
});
