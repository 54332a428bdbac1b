import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { listenerType } from "../../src/xds/type-urls.ts";

type Protocol = "HTTP" | "TCP";

/** The service of the workload under test: an old port, and perhaps the new port 9090. */
function pay(newPort?: Protocol): string {
  const added = newPort === undefined ? "" : `, {number: 9090, name: new, protocol: ${newPort}}`;
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: pay, namespace: shop}
spec:
  hosts: [pay.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 8080, name: http, protocol: HTTP}${added}]
  endpoints: [{address: 10.0.0.9, labels: {app: pay}}]
`;
}

/** Denies the requests of one namespace at port 9090. */
function denial(namespace: string): string {
  return `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: guard, namespace: shop}
spec:
  selector: {matchLabels: {app: pay}}
  action: DENY
  rules: [{from: [{source: {namespaces: [${namespace}]}}], to: [{operation: {ports: ["9090"]}}]}]
`;
}

const other = pay().replaceAll("pay", "cart").replace("10.0.0.9", "10.0.0.8");
const node = {
  nodeId: "sidecar~10.0.0.9~pay-0.shop~shop.svc.cluster.local",
  metadata: { LABELS: { app: "pay" }, NAMESPACE: "shop" },
};

/** `no chain` before the port has one; otherwise which of the named namespaces every chain of the port denies. */
type PortState = "no chain" | "open to all" | `denies ${string}`;

function stateOf(chains: readonly FilterChain[], namespaces: readonly string[]): PortState {
  if (chains.length === 0) return "no chain";
  const denied = namespaces.filter((namespace) => chains.every((chain) => denies(chain, namespace)));
  return denied.length === 0 ? "open to all" : `denies ${denied.join()}`;
}

function denies({ filters }: FilterChain, namespace: string): boolean {
  return filters.some(({ configType }) => {
    if (configType.case !== "typedConfig") return false;
    const content = Buffer.from(configType.value.value).toString("latin1");
    // An HTTP filter is inside of the connection manager, a network filter is the RBAC filter itself.
    const isRbac = `${configType.value.typeUrl} ${content}`.includes(".rbac.v3.RBAC");
    return isRbac && content.includes(`/ns/${namespace}/`);
  });
}

/** The chains of the new port in the inbound listener that the proxy has now. */
function portChains(proxy: EnvoyModel): readonly FilterChain[] {
  const text = proxy.held.get(listenerType)?.get("virtualInbound")?.content.text;
  if (text === undefined) return [];
  const { filterChains } = fromBinary(ListenerSchema, Buffer.from(text, "base64"));
  return filterChains.filter(({ filterChainMatch }) => filterChainMatch?.destinationPort === 9090);
}

/** A proxy that notes the state of the port after each message that it reads. */
class WatchedProxy {
  readonly #mesh: ScenarioMesh;
  readonly #envoy: EnvoyModel;
  readonly #namespaces: readonly string[];
  #states: readonly PortState[] = [];

  constructor(mesh: ScenarioMesh, mode: "sotw" | "delta", namespaces: readonly string[]) {
    this.#mesh = mesh;
    this.#envoy = mesh.connect(mode, node);
    this.#namespaces = namespaces;
  }

  /** The states from now until all messages are read, in order, each change once. */
  async states(): Promise<readonly PortState[]> {
    this.#states = [];
    this.#note();
    for (let messages = 0; messages < 200; messages++) {
      await this.#mesh.pushed();
      if (!this.#envoy.step()) return this.#states;
      this.#note();
    }
    throw new Error("the stream does not come to rest");
  }

  #note(): void {
    const state = stateOf(portChains(this.#envoy), this.#namespaces);
    if (this.#states.at(-1) !== state) this.#states = [...this.#states, state];
  }
}

/** Starts the pending push and lets it run for some microtasks. Tells whether it is over by then. */
async function pushesFor(mesh: ScenarioMesh, microtasks: number): Promise<boolean> {
  let over = false;
  mesh.clock.advance(100);
  void mesh.discovery.idle().finally(() => {
    over = true;
  });
  for (let count = 0; count < microtasks; count++) await Promise.resolve();
  return over;
}

async function serving(mode: "sotw" | "delta", yaml: string): Promise<{ mesh: ScenarioMesh; proxy: WatchedProxy }> {
  const mesh = await ScenarioMesh.serving(`${yaml}---${other}`);
  const proxy = new WatchedProxy(mesh, mode, ["evil", "worse"]);
  await proxy.states();
  return { mesh, proxy };
}

const modes = ["sotw", "delta"] as const;
const protocols = ["HTTP", "TCP"] as const;
const cases = modes.flatMap((mode) => protocols.map((protocol) => ({ mode, protocol })));

describe.each(cases)("a new $protocol port, $mode", ({ mode, protocol }) => {
  test("opens in the same message as the policy for it", async () => {
    const { mesh, proxy } = await serving(mode, pay());
    mesh.apply(`${pay(protocol)}---${denial("evil")}`);
    expect(await proxy.states()).toEqual(["no chain", "denies evil"]);
  });

  test("opens with a policy that was there before", async () => {
    const { mesh, proxy } = await serving(mode, `${pay()}---${denial("evil")}`);
    mesh.apply(pay(protocol));
    expect(await proxy.states()).toEqual(["no chain", "denies evil"]);
  });

  test("goes from one version of its policy to the next without a message between them", async () => {
    const { mesh, proxy } = await serving(mode, `${pay(protocol)}---${denial("evil")}`);
    mesh.apply(denial("worse"));
    expect(await proxy.states()).toEqual(["denies evil", "denies worse"]);
  });

  test("is open to all without a policy", async () => {
    const { mesh, proxy } = await serving(mode, pay());
    mesh.apply(pay(protocol));
    expect(await proxy.states()).toEqual(["no chain", "open to all"]);
  });
});

describe.each(modes)("a new port during a push, %s", (mode) => {
  test("opens with its policy when both arrive in one batch, at different steps of a push", async () => {
    const { mesh, proxy } = await serving(mode, pay());
    let over = false;
    for (let step = 0; !over; step += 4) {
      mesh.apply(other.replace("8080", String(8081 + step)));
      over = await pushesFor(mesh, step);
      mesh.batch(() => {
        mesh.apply(pay("HTTP"));
        mesh.apply(denial("evil"));
      });
      expect(await proxy.states(), `after ${step} microtasks`).toEqual(["no chain", "denies evil"]);
      mesh.apply(pay());
      mesh.removeAll(denial("evil"));
      await proxy.states();
    }
  });

  test("is never without a policy when the policy changes at different steps of the push that opens the port", async () => {
    const { mesh, proxy } = await serving(mode, pay());
    let over = false;
    for (let step = 0; !over; step += 4) {
      mesh.apply(`${pay("HTTP")}---${denial("evil")}`);
      over = await pushesFor(mesh, step);
      mesh.apply(denial("worse"));
      const states = await proxy.states();
      expect(states, `after ${step} microtasks`).not.toContain("open to all");
      expect(states.at(-1), `after ${step} microtasks`).toBe("denies worse");
      mesh.apply(pay());
      mesh.removeAll(denial("worse"));
      await proxy.states();
    }
  });
});
