import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { type EnvoyNode, gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { type Echo, startEcho } from "./support/envoy/echo.ts";
import { type EntryPoint, kindsOfEdit } from "./support/envoy/edited-mesh.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { Load, type LoggedRequest } from "./support/envoy/fortio.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { atScale } from "./support/scale.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithPeers = await describeWith("envoy", "fortio");

/** The number of edits of each kind. */
const times = atScale({ quick: 4, whole: 20 });
const qps = 1000;
const path = "/load";

interface Edit {
  readonly name: string;
  readonly at: number;
}

/** The part of the mesh that stays the same during edits, and the entry of requests. */
interface Setting {
  readonly node: EnvoyNode;
  readonly files: Readonly<Record<string, string>>;
  readonly entry: EntryPoint;
}

async function behindGateway(workloadPort: number): Promise<Setting & { readonly callPort: number }> {
  const callPort = await freePort();
  const server = { port: { number: callPort, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] };
  const gateway = objectYaml("Gateway", "public", { selector: { app: "gw" }, servers: [server] }, "istio-system");
  const entry = { host: "shop.example.com", gateways: ["istio-system/public"], port: 9080, workloadPort };
  return { node: gatewayNode, files: { "gateway.yaml": gateway }, entry, callPort };
}

/** The called service stays. Edits change the destination of its requests. */
async function besideWorkload(workloadPort: number): Promise<Setting & { readonly callPort: number }> {
  const callPort = await freePort();
  const front = serviceYaml({ name: "front", port: callPort, endpoints: [{ port: workloadPort }] });
  const entry = { host: "front.shop.svc.cluster.local", gateways: ["mesh"], port: callPort, workloadPort };
  return { node: sidecarNode, files: { "front.yaml": front }, entry, callPort };
}

/** Waits until Envoy has the routes of this edit. */
async function untilRouted(envoy: EnvoyProcess, edit: string): Promise<void> {
  await envoy.waitFor(async () => {
    const { body } = await get(envoy.adminPort, "/config_dump?resource=dynamic_route_configs");
    return body.includes(`"${edit}"`);
  });
}

/** Waits for more requests than could be in flight, so that some follow the last edit. */
async function untilCalled(workload: Echo): Promise<void> {
  const enough = workload.requests + 50;
  await eventually("requests after an edit", () => workload.requests >= enough, { seconds: 20 });
}

/** The edit that precedes a request. */
function editBefore({ at }: LoggedRequest, edits: readonly Edit[]): string {
  return edits.findLast((edit) => edit.at <= at)?.name ?? "before any edit";
}

/** Failures by the edit that precedes them: `8 × a subset is renamed (edit-7): 503`. */
function failuresIn(requests: readonly LoggedRequest[], edits: readonly Edit[]): readonly string[] {
  const failed = requests.filter(({ ok }) => !ok);
  const alike = Map.groupBy(failed, (request) => `${editBefore(request, edits)}: ${request.details}`);
  return Array.from(alike, ([what, { length }]) => `${length} × ${what}`);
}

describeWithPeers("no request fails while what it goes through is replaced", () => {
  test.concurrent.each([
    ["router", "sotw", behindGateway],
    ["router", "delta", behindGateway],
    ["sidecar", "sotw", besideWorkload],
    ["sidecar", "delta", besideWorkload],
  ] as const)("%s, %s", async (_role, mode, place) => {
    await using workload = await startEcho("workload");
    const { node, files, entry, callPort } = await place(workload.port);
    const [first] = kindsOfEdit;
    using mesh = new MeshDir({ ...files, "edited.yaml": first?.states[1](entry, "edit-0") ?? "" });
    await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--log-level", "warn"] });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode, node });
    await envoy.settled();
    await untilRouted(envoy, "edit-0");
    await envoy.waitFor(async () => (await get(callPort, path, { host: entry.host })).status === 200);

    await using load = await Load.start({ port: callPort, host: entry.host, path, qps });
    const edits: Edit[] = [];
    for (const { name, states } of kindsOfEdit) {
      for (let time = 0; time < times; time++) {
        const edit = `edit-${edits.length + 1}`;
        edits.push({ name: `${name} (${edit})`, at: Date.now() });
        mesh.write("edited.yaml", (time % 2 === 0 ? states[0] : states[1])(entry, edit));
        await untilRouted(envoy, edit);
        await untilCalled(workload);
      }
    }
    const requests = await load.stop();

    expect(failuresIn(requests, edits)).toEqual([]);
    const followed = new Set(requests.map((request) => editBefore(request, edits)));
    expect(edits.filter(({ name }) => !followed.has(name))).toEqual([]);
    expect(edits).toHaveLength(times * kindsOfEdit.length);
    expect(await envoy.troubles()).toEqual([]);
  });
});
