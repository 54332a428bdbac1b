import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import type { OfflineOptions } from "./offline-pipeline.ts";
import { readMesh } from "./read-mesh.ts";

const settings = { mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" };
const router = proxyWithName("router~10.0.0.1~gw-0.edge~edge.svc.cluster.local");

function serviceEntry(name: string): string {
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec: {hosts: [${name}.example.com], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`;
}

async function clusterNames(inputs: OfflineOptions["inputs"]) {
  const sent = (await readMesh({ ...settings, inputs })).resourcesFor(router);
  return sent.find(({ shortName }) => shortName === "CDS")?.resources.map(({ name }) => name);
}

describe("a mesh without a server", () => {
  let tree: TempTree;
  beforeEach(async () => {
    tree = await TempTree.create();
  });
  afterEach(() => tree.close());

  test("is read from directories, files and texts", async () => {
    await tree.write("mesh/a.yaml", serviceEntry("a"));
    await tree.write("b.yaml", serviceEntry("b"));
    const text = { file: "<stdin>", text: serviceEntry("c") };
    expect(await clusterNames([tree.path("mesh"), tree.path("b.yaml"), text])).toEqual([
      "BlackHoleCluster",
      "outbound|80||a.example.com",
      "outbound|80||b.example.com",
      "outbound|80||c.example.com",
    ]);
  });

  test("gives the types in the order of a push", async () => {
    await tree.write("a.yaml", serviceEntry("a"));
    const mesh = await readMesh({ ...settings, inputs: [tree.directory] });
    const types = mesh.resourcesFor(router).map(({ shortName }) => shortName);
    expect(types).toEqual(["CDS", "EDS", "ECDS", "LDS", "RDS", "VHDS", "SDS", "NDS", "PCDS"]);
  });

  test("knows the place of an object", async () => {
    await tree.write("a.yaml", `# first\n${serviceEntry("a")}`);
    const mesh = await readMesh({ ...settings, inputs: [tree.directory] });
    expect(mesh.originOf(configId("ServiceEntry", "shop", "a"))?.reference).toBe(`${tree.path("a.yaml")}:2`);
    expect(mesh.originOf(configId("ServiceEntry", "shop", "b"))).toBeUndefined();
  });

  test("counts objects in use, not broken ones", async () => {
    await tree.write("a.yaml", `${serviceEntry("a")}---\n${serviceEntry("b").replace("hosts", "host")}`);
    const { objects, issues } = await readMesh({ ...settings, inputs: [tree.directory] });
    expect(objects).toBe(1);
    expect(issues.map(({ code, place }) => [code, place?.line])).toEqual([["unknown-field", 9]]);
  });

  test("is read once, and does not follow later changes", async () => {
    await tree.write("a.yaml", serviceEntry("a"));
    const mesh = await readMesh({ ...settings, inputs: [tree.directory] });
    await tree.write("a.yaml", serviceEntry("b"));
    await tree.noticed();
    const names = mesh.resourcesFor(router).flatMap(({ resources }) => resources.map(({ name }) => name));
    expect(names).toContain("outbound|80||a.example.com");
    expect(names).not.toContain("outbound|80||b.example.com");
  });

  test("cannot be read from missing files", async () => {
    await tree.write("a.yaml", serviceEntry("a"));
    const missing = tree.path("b.yaml");
    await expect(readMesh({ ...settings, inputs: [tree.path("a.yaml"), missing] })).rejects.toMatchObject({
      code: "source-unavailable",
      message: `${missing}: there is no such file or directory`,
    });
    await expect(readMesh({ ...settings, inputs: [tree.directory], mesh: missing })).rejects.toMatchObject({
      code: "source-unavailable",
    });
  });

  test("takes the first of two objects with the same name, and reports the clash", async () => {
    await tree.write("first/x.yaml", serviceEntry("a"));
    await tree.write("second/x.yaml", serviceEntry("a"));
    const inputs = [tree.path("second"), tree.path("first")];
    const { issues, originOf } = await readMesh({ ...settings, inputs });
    expect(originOf(configId("ServiceEntry", "shop", "a"))?.reference).toBe(`${tree.path("second/x.yaml")}:1`);
    expect(issues).toMatchObject([
      { severity: "warning", code: "name-clash", object: "ServiceEntry shop/a", place: { line: 3 } },
    ]);
  });

  test("counts a converted Service once", async () => {
    const service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n";
    const mesh = await readMesh({ ...settings, inputs: [{ file: "a.yaml", text: service }] });
    expect(mesh.objects).toBe(1);
  });
});
