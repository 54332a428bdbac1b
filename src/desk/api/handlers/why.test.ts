import { beforeAll, describe, expect, test } from "vitest";
import { askDesk, readDesk } from "../../../testing/desk/ask-desk.ts";
import { deskStateOf } from "../../../testing/desk/desk-rig.ts";
import { JournalMesh } from "../../../testing/desk/journal-mesh.ts";
import { smallShop } from "../../../testing/mesh/small-shop.ts";
import { runCommand } from "../../../testing/recording/run-command.ts";
import type { DeskState } from "../desk-state.ts";
import type { FieldCauses } from "../model/why.ts";

const gateway = "router~10.9.9.9~gw-0.istio-system~istio-system.svc.cluster.local";
const timeout = "virtual_hosts[0].routes[2].route.weighted_clusters.clusters[0].weight";

const asked = (field: string, { type = "RDS", resource = "http.8080", node = gateway } = {}) =>
  `/proxies/${encodeURIComponent(node)}/resources/${encodeURIComponent(resource)}/why?type=${type}&field=${encodeURIComponent(field)}`;

let live: { readonly mesh: JournalMesh; readonly state: DeskState };

beforeAll(async () => {
  const mesh = await JournalMesh.serving(smallShop);
  const metadata = { NAMESPACE: "istio-system", LABELS: { app: "gw" } };
  await mesh.settle([mesh.connect("delta", { nodeId: gateway, metadata })]);
  live = { mesh, state: deskStateOf(mesh) };
});

/** The causes, and the same from the command without a server. */
async function both(field: string, type: string, resource: string) {
  const { value, causes } = await readDesk<FieldCauses>(live.state, asked(field, { type, resource }));
  const words = { RDS: "route", CDS: "cluster", LDS: "listener", EDS: "endpoint" };
  const word = words[type as keyof typeof words];
  const args = ["why", gateway, word, resource, field, "--label", "app=gw", "-f", "-", "-o", "json"];
  const offline = JSON.parse((await runCommand(args, { input: smallShop })).stdout) as {
    value: unknown;
    causes: readonly { role: string; object: string; field: string; value: unknown }[];
  };
  return {
    server: { value, causes: causes.map((each) => `${each.role} ${each.object.id} ${each.field} ${each.value}`) },
    command: {
      value: offline.value,
      causes: offline.causes.map((each) => {
        return `${each.role} ${each.object.replace(" ", "/")} ${each.field} ${String(each.value)}`;
      }),
    },
  };
}

const status = async (path: string) => (await askDesk(live.state, path)).status;

describe("the lines behind a field of a connected proxy", () => {
  test("are those that the command finds in the same mesh", async () => {
    const reviews = "outbound|9080|v1|reviews.shop.svc.cluster.local";
    for (const [type, resource, field] of [
      ["RDS", "http.8080", timeout],
      ["RDS", "http.8080", "virtual_hosts[0].routes[1].redirect.path_redirect"],
      ["LDS", "0.0.0.0_8080", "address.socket_address.port_value"],
      ["CDS", reviews, "name"],
      ["CDS", reviews, "connect_timeout"],
      ["EDS", reviews, "endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address"],
    ] as const) {
      const { server, command } = await both(field, type, resource);
      expect(server).toEqual(command);
      expect(server.causes.length).toBeGreaterThan(0);
    }
  });

  test("have a link to the line, and the mesh of proxies stays as it is", async () => {
    const { mesh, state } = live;
    const before = mesh.discovery.catalogue.published;
    const { value, causes } = await readDesk<FieldCauses>(state, asked(timeout));
    expect(value).toBe(80);
    expect(causes[0]).toMatchObject({
      role: "value",
      object: { id: "VirtualService/shop/shop", reference: expect.stringMatching(/:\d+$/u) },
      field: "spec.http[2].route[0].weight",
      value: 80,
    });
    expect(mesh.discovery.catalogue.published).toBe(before);
  });

  test("are found in the mesh of one moment, also while the live mesh changes", async () => {
    const { mesh, state } = live;
    const { mesh: whatIf } = state.whatIf;
    const [connection] = mesh.discovery.connections;
    if (connection === undefined) throw new Error("no proxy is connected");
    const trials = await whatIf.trialsFor(connection.client);
    const routes = whatIf.discovery.catalogue.types.find(({ shortName }) => shortName === "RDS");
    if (routes === undefined) throw new Error("no routes");
    const version = () => trials.resourcesOf(routes).find(({ name }) => name === "http.8080")?.version;
    const before = version();
    const object = trials.objects.find(({ kind }) => kind === "Gateway");
    if (object === undefined) throw new Error("no gateway");
    mesh.source.apply(smallShop.replace("weight: 80", "weight: 70").replace("weight: 20", "weight: 30"));
    await mesh.settle([]);
    await trials.edit([{ object, version: undefined }]);
    expect(version()).not.toBe(before);
    await trials.edit([]);
    expect(version()).toBe(before);
    mesh.source.apply(smallShop);
    await mesh.settle([]);
    expect((await readDesk<FieldCauses>(state, asked(timeout))).value).toBe(80);
  });

  test("of something that is not there are not found", async () => {
    expect(await status(asked("nowhere"))).toBe(404);
    expect(await status(asked("", { resource: "http.9" }))).toBe(404);
    expect(await status(asked("", { node: "router~1.1.1.1~no.a~a.svc.cluster.local" }))).toBe(404);
    expect(await status(asked("", { type: "SDS" }))).toBe(400);
    expect(await status(asked("", { type: "" }))).toBe(400);
  });

  test("are asked for one at a time", async () => {
    const first = askDesk(live.state, asked(timeout));
    expect(await askDesk(live.state, asked(timeout))).toMatchObject({ status: 429 });
    expect(await first).toMatchObject({ status: 200 });
    expect(await askDesk(live.state, asked(timeout))).toMatchObject({ status: 200 });
  });
});
