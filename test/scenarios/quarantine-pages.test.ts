import { expect, test } from "vitest";
import type { QuarantinedObject } from "../../src/admin/pilot/quarantine.ts";
import type { QuarantinePage } from "../../src/admin/pilot/quarantine-page.ts";
import { valuesOf } from "../../src/testing/server/wired-server.ts";
import { gateway, object, route, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { WiredMesh } from "./quarantine/wired-mesh.ts";

/** The fields of `/debug/resources` that tests read. */
interface DumpPage {
  readonly types: readonly {
    readonly resources: readonly { readonly name: string; readonly patches?: readonly { readonly patch: string }[] }[];
  }[];
}

const id = "VirtualService/shop/vs-1";
const good = [theGateway, service("backend"), route(0, "good"), route(1, "good"), route(2, "good")];

/** Two gateways have accepted everything. Then one route is poisoned. */
async function poisoned() {
  const mesh = await WiredMesh.start(good);
  mesh.connect(gateway(0));
  mesh.connect(gateway(1));
  await mesh.settle();
  await mesh.apply(route(1, "poison"));
  return mesh;
}

function versionIn(refused: QuarantinedObject | undefined): string | undefined {
  return refused?.instead.type === "earlier version" ? refused.instead.version : undefined;
}

test("a refused object is on its page, in the commands, in metrics and in the log, until it is mended", async () => {
  const mesh = await poisoned();
  const { objects } = await mesh.page<QuarantinePage>("/debug/quarantine");
  expect(objects).toMatchObject([
    {
      object: id,
      reference: expect.stringMatching(/:1$/u),
      class: expect.stringMatching(/^router .*1\.30\.0/u),
      proxies: 2,
      reason: "no to http.80",
      instead: { type: "earlier version" },
    },
  ]);
  const [refused] = objects;
  const { code, stdout } = await mesh.command("quarantine", "list");
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${refused?.reference}: ${id}: ${refused?.reason}`)]);
  const described = await mesh.command("describe", "VirtualService", "vs-1", "-n", "shop");
  expect([described.code, described.stdout]).toEqual([1, expect.stringContaining(" error quarantined: router ")]);
  const status = await mesh.command("proxy-status");
  expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/QUARANTINE\n.* 1 object\n.* 1 object$/u)]);
  const one = await mesh.command("proxy-status", "gw-1.shop");
  expect(one.stdout).toContain(`in quarantine, see binnacle quarantine list:\n  ${id}`);
  const explained = await mesh.command("explain", "--from", "gw-1.shop", "http://host-1.example.com/");
  expect(explained.stdout.replaceAll(/\s+/gu, " ").replace(/since [\d:.TZ-]+;/u, "since then;")).toContain(
    `quarantined: VirtualService shop/vs-1 (${refused?.reference}) since then; ` +
      `the proxy gets earlier version ${versionIn(refused)} instead: no to http.80`,
  );
  expect(await valuesOf(mesh.server.metrics, "binnacle_quarantine_objects")).toEqual(['{kind="VirtualService"} 1']);
  expect(await valuesOf(mesh.server.metrics, "binnacle_quarantine_searches_total")).toEqual(['{result="found"} 1']);
  expect(mesh.logged("object quarantined")).toMatchObject([{ level: "warn" }]);

  await mesh.apply(route(1, "mended"));
  expect(await mesh.page("/debug/quarantine")).toMatchObject({ objects: [] });
  expect(await mesh.command("quarantine", "list")).toMatchObject({ code: 0, stdout: "nothing is in quarantine" });
  expect((await mesh.command("describe", "VirtualService", "vs-1", "-n", "shop")).stdout).not.toContain("quarantined");
  expect((await mesh.command("proxy-status")).stdout).not.toContain("QUARANTINE");
  const after = await mesh.command("explain", "--from", "gw-1.shop", "http://host-1.example.com/");
  expect(after.stdout).not.toContain("quarantined");
  expect(await valuesOf(mesh.server.metrics, "binnacle_quarantine_objects")).toEqual([]);
  expect(await valuesOf(mesh.server.metrics, "binnacle_quarantine_releases_total")).toEqual(["1"]);
  expect(mesh.logged("object released from quarantine")).toMatchObject([{ level: "info" }]);
});

/** An EnvoyFilter that changes the cluster of the backend. */
function clusterFilter(...names: readonly string[]): string {
  const configPatches = names.map((name) => ({
    applyTo: "CLUSTER",
    match: { context: "GATEWAY", cluster: { service: "backend.internal" } },
    patch: { operation: "MERGE", value: { alt_stat_name: name } },
  }));
  return object("EnvoyFilter", "names", { configPatches }).replace("io/v1", "io/v1alpha3");
}

test("pages name the patches of the mesh that a proxy is served from", async () => {
  const mesh = await WiredMesh.start([...good, clusterFilter("good")]);
  mesh.connect(gateway(0));
  await mesh.settle();
  const patchesOfCluster = async () => {
    const { types } = await mesh.page<DumpPage>("/debug/resources?proxyID=gw-0.shop");
    const resources = types.flatMap((type) =>
      type.resources.filter(({ name }) => name.startsWith("outbound|80||backend")),
    );
    return resources.flatMap(({ patches = [] }) => patches.map(({ patch }) => patch));
  };
  expect(await patchesOfCluster()).toEqual(["configPatches[0]"]);
  await mesh.apply(clusterFilter("good", "poison"));
  expect(await mesh.page("/debug/quarantine")).toMatchObject({ objects: [{ object: "EnvoyFilter/shop/names" }] });
  expect(await patchesOfCluster()).toEqual(["configPatches[0]"]);
});

test("a retry tries the object again, and a release serves it although proxies refuse it", async () => {
  const mesh = await poisoned();
  expect(await mesh.command("quarantine", "retry", id)).toMatchObject({ code: 0 });
  await mesh.settle();
  expect(await valuesOf(mesh.server.metrics, "binnacle_quarantine_searches_total")).toEqual(['{result="found"} 2']);
  expect(await mesh.page("/debug/quarantine")).toMatchObject({ objects: [{ object: id }] });

  expect(await mesh.command("quarantine", "release", "VirtualService/shop/vs-2")).toMatchObject({ code: 1 });
  expect(await mesh.command("quarantine", "release", id)).toMatchObject({ code: 0 });
  await mesh.settle();
  expect(await mesh.page("/debug/quarantine")).toMatchObject({ objects: [], released: [{ object: id }] });
  const [nack] = await mesh.page<readonly { readonly quarantined: unknown }[]>("/debug/nacks");
  expect(nack).toMatchObject({ objects: expect.arrayContaining([{ object: id, reference: expect.any(String) }]) });
  expect(await mesh.command("quarantine", "retry")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing"),
  });
});

test("without a quarantine the page says so, and commands are refused", async () => {
  const mesh = await WiredMesh.start(good, { quarantine: false });
  expect(await mesh.page("/debug/quarantine")).toEqual({
    enabled: false,
    objects: [],
    released: [],
    search: null,
    untrusted: [],
  });
  expect(await mesh.command("quarantine", "retry")).toMatchObject({ code: 1, stderr: expect.stringContaining("409") });
});
