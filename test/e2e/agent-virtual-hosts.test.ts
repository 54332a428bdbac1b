import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { Agent } from "./support/agent/agent.ts";
import { ControlPlane } from "./support/agent/control-plane.ts";
import { identitiesOfAuthority } from "./support/agent/identities.ts";
import { appYaml, strictYaml } from "./support/agent/shop-world.ts";
import { startSidecarPair, trustHost } from "./support/agent/sidecar-pair.ts";
import { Load } from "./support/envoy/fortio.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";
import { objectYaml } from "./support/yaml.ts";

const describeAgents = await describeWithNetwork("envoy", "fortio", "iptables", "pilot-agent");

/** Enough for a split route configuration. */
const count = 40;

const hostOf = (name: string) => `${name}.shop.svc.cluster.local`;
const addressOf = (index: number) => `10.96.0.${10 + index}`;
const inMesh = (index: number) =>
  ({ address: addressOf(index), port: 80, protocol: "http", host: hostOf(`app-${index}`) }) as const;

/** Lets every answer of a service have a mark, for the sidecars and for a host of the gateway. */
function markYaml(index: number, mark: string): string {
  return objectYaml("VirtualService", `app-${index}`, {
    hosts: [hostOf(`app-${index}`), `app-${index}.example`],
    gateways: ["mesh", "edge"],
    http: [
      {
        headers: { response: { set: { "x-edit": mark } } },
        route: [{ destination: { host: hostOf(`app-${index}`), port: { number: 80 } } }],
      },
    ],
  });
}

const gatewayYaml = objectYaml("Gateway", "edge", {
  selector: { app: "gateway" },
  servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
});

describeAgents("virtual hosts as resources, through Istio's agent", () => {
  const world = shared(async (stack) => {
    const { pods } = stack.use(await openPodNetwork("istiod", "client", "server", "gateway", "outside"));
    const files = Array.from({ length: count }, (_, index) => [
      [`app-${index}.yaml`, appYaml(`app-${index}`, addressOf(index), pods.server.address)],
      [`route-${index}.yaml`, markYaml(index, "first")],
    ]).flat();
    const mesh = stack.use(
      new MeshDir({ ...Object.fromEntries(files), "strict.yaml": strictYaml, "gateway.yaml": gatewayYaml }),
    );
    const identities = await identitiesOfAuthority(stack);
    const control = await new ControlPlane(pods.istiod, mesh.path, ...identities.flags).start();
    // Before the files of its authority are removed.
    stack.defer(() => control.kill("SIGTERM"));
    const optionsOf = (pod: typeof pods.client) => identities.agentOf(pod, control);
    trustHost(pods.gateway, pods.istiod.address);
    const router = { type: "router", namespace: "shop", labels: { app: "gateway" } } as const;
    const [agents, gateway] = await Promise.all([
      startSidecarPair(pods, optionsOf),
      Agent.start(pods.gateway, { ...router, ...(await optionsOf(pods.gateway)) }),
    ]);
    await gateway.ready();
    const launch = (command: string, args: readonly string[]) => pods.client.start(command, args);
    const { address, port, host } = inMesh(1);
    await eventually("an answer", async () => (await markIn(inMesh(1))) === "first", { seconds: 20 });
    const load = stack.use(await Load.start({ address, port, host, path: "/", qps: 50, launch }));
    return { pods, mesh, control, agents, gateway, load };

    async function markIn(call: ReturnType<typeof inMesh>) {
      return markOf(await pods.client.call(call));
    }
  });

  const atSidecar = async (index: number) => markOf(await world().pods.client.call(inMesh(index)));
  const atGateway = async (index: number) => {
    const { pods } = world();
    const call = { address: pods.gateway.address, port: 8080, protocol: "http", host: `app-${index}.example` } as const;
    return markOf(await pods.outside.call(call));
  };
  const untilMarked = async (index: number, mark: string) => {
    const both = async () => (await atSidecar(index)) === mark && (await atGateway(index)) === mark;
    await eventually(`${mark} at the sidecar and at the gateway`, both, { seconds: 20 });
  };

  test("the agent asks for virtual hosts, and all of them answer", async () => {
    await untilMarked(count - 1, "first");
    const { control } = world();
    for (const name of ["client-0.shop", "gateway-0.shop"]) {
      const states = async () => (await control.syncOf(name))?.states;
      await expect.poll(states).toEqual(["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", "RDS SYNCED", "VHDS SYNCED"]);
    }
    for (let index = 0; index < count; index++) {
      expect([await atSidecar(index), await atGateway(index)]).toEqual(["first", "first"]);
    }
  });

  test("an edit of one host does not send the route configuration again", async () => {
    const { mesh, pods } = world();
    const pushes = async (type: string) => {
      const page = await pods.istiod.page(15_014, "/metrics");
      return Number(new RegExp(`^pilot_xds_pushes\\{type="${type}"\\} (\\d+)$`, "mu").exec(page)?.[1]);
    };
    const [routes, hosts] = [await pushes("rds"), await pushes("vhds")];
    expect(routes).toBeGreaterThan(0);
    mesh.write("route-2.yaml", markYaml(2, "second"));
    await untilMarked(2, "second");
    expect([await atSidecar(3), await atGateway(3)]).toEqual(["first", "first"]);
    // To the two sidecars and to the gateway.
    expect([await pushes("rds"), await pushes("vhds")]).toEqual([routes, hosts + 3]);
  });

  test("a service and its host arrive and leave, again and again", async () => {
    const { mesh, pods } = world();
    for (let round = 0; round < 3; round++) {
      mesh.write(
        "added.yaml",
        `${appYaml(`app-${count}`, addressOf(count), pods.server.address)}---\n${markYaml(count, `round ${round}`)}`,
      );
      await untilMarked(count, `round ${round}`);
      mesh.write("added.yaml", "");
      await expect.poll(() => atGateway(count), { timeout: 20_000 }).toBe(undefined);
    }
  });

  test("the control plane is killed and starts again, and the next edit follows", async () => {
    const { control, mesh } = world();
    for (const mark of ["after one death", "after two deaths"]) {
      await control.kill("SIGKILL");
      await control.start();
      mesh.write("route-2.yaml", markYaml(2, mark));
      await untilMarked(2, mark);
      expect([await atSidecar(3), await atGateway(3)]).toEqual(["first", "first"]);
    }
  });

  test("no request failed meanwhile, no Envoy started again, and none rejected anything", async () => {
    const { load, agents, gateway } = world();
    const requests = await load.stop();
    expect(requests.filter(({ ok }) => !ok)).toEqual([]);
    expect(requests.length).toBeGreaterThan(100);
    for (const agent of [agents.client, agents.server, gateway]) {
      expect(agent.linesLike(/Envoy command:/u)).toHaveLength(1);
      expect(await agent.rejections()).toEqual([]);
    }
  });
});

function markOf(reply: object): string | undefined {
  return (reply as { readonly headers?: Readonly<Record<string, string>> }).headers?.["x-edit"];
}
