import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { RolloutsPage, ShownRollout } from "../../src/admin/pilot/rollouts-page.ts";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { rolloutAnnotations } from "../../src/config/rollout/rollout-plan.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { Prometheus } from "./monitoring/prometheus.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { ask, get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { atScale } from "./support/scale.ts";
import { objectYaml } from "./support/yaml.ts";

const describeWithPeers = await describeWith("envoy", "prometheus");
const patient = { seconds: 60 };
const count = 3;
const proxies = atScale({ quick: 50, whole: 1_000 });
const isWhole = atScale({ quick: false, whole: true });

/** The addresses of listeners become parts of names. */
const errors = 'sum({__name__=~"envoy_http.*_downstream_rq_xx",envoy_response_code_class="5"})';

/** The route of all gateways. Answers with this status. */
function hello(status: number, body: string, settings: object = {}): string {
  const gateways = Array.from({ length: count }, (_, number) => `istio-system/gw-${number}`);
  const spec = { hosts: ["*"], gateways, http: [{ directResponse: { status, body: { string: body } } }] };
  const object = JSON.parse(objectYaml("VirtualService", "hello", spec, "istio-system")) as { metadata: object };
  const annotations = {
    [rolloutAnnotations.name]: "greeting",
    [rolloutAnnotations.waves]: "label:canary=true, 50%",
    [rolloutAnnotations.wait]: "3s",
    ...settings,
  };
  return JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } });
}

function gatewayYaml(number: number, port: number): string {
  const server = { port: { number: port, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] };
  const spec = { selector: { app: `gw-${number}` }, servers: [server] };
  return objectYaml("Gateway", `gw-${number}`, spec, "istio-system");
}

/** Calls each gateway all the time, and counts the answers. */
class Callers implements Disposable {
  readonly #counts: Map<string, number>[];
  #isOver = false;

  constructor(ports: readonly number[]) {
    this.#counts = ports.map(() => new Map());
    for (const [index, port] of ports.entries()) void this.#call(index, port);
  }

  /** The answers of a gateway so far, by status and body. */
  of(index: number): ReadonlyMap<string, number> {
    return this.#counts[index] ?? new Map();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async #call(index: number, port: number): Promise<void> {
    const counts = this.#counts[index] ?? new Map<string, number>();
    while (!this.#isOver) {
      const answer = await ask("GET", port, "/").then(({ status, body }) => `${status} ${body}`, String);
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
      await pause(10);
    }
  }
}

describeWithPeers("a staged change with real Envoys, a fleet and a real Prometheus", () => {
  test("that breaks requests is halted in its first wave and taken back, also if the server is killed in every phase", async () => {
    const resources = new AsyncDisposableStack();
    onTestFinished(() => resources.disposeAsync());
    const [xdsPort, ...ports] = await Promise.all(Array.from({ length: count + 1 }, () => freePort()));
    const envoys: EnvoyProcess[] = [];
    for (let number = 0; number < count; number++) {
      const labels = { app: `gw-${number}`, ...(number === 0 && { canary: "true" }) };
      const id = `router~127.0.0.1~gw-${number}.istio-system~istio-system.svc.cluster.local`;
      const node = { id, metadata: { NAMESPACE: "istio-system", LABELS: labels } };
      const mode = number % 2 === 0 ? "delta" : "sotw";
      envoys.push(resources.use(await startEnvoy({ xdsPort: xdsPort ?? 0, mode, node })));
    }
    const scraped = envoys.map(({ adminPort }) => adminPort);
    const prometheus = resources.use(await Prometheus.startWith(scraped, "/stats/prometheus"));
    const gateways = ports.map((port, number) => [`gw-${number}.yaml`, gatewayYaml(number, port)]);
    const mesh = resources.use(new MeshDir({ ...Object.fromEntries(gateways), "hello.yaml": hello(200, "old") }));
    const state = resources.use(new MeshDir());
    const args = ["--prometheus", prometheus.url, "--rollout-store", `${state.path}/rollouts.json`];
    const serve = async () => resources.use(await startBinnacle({ dir: mesh.path, xdsPort: xdsPort ?? 0, args }));
    let server = await serve();
    const killAndRestart = async () => {
      server.kill("SIGKILL");
      server = await serve();
    };
    const members = fleetMembers({
      proxies,
      shares: { routers: 0, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 },
      namespaces: ["shop"],
      routerLabels: {},
      targets: [],
      reconnectEveryMs: 500,
      domain: "cluster.local",
      clusterId: "Kubernetes",
    });
    const fleet = new Fleet({ address: { host: "127.0.0.1", port: xdsPort ?? 0 }, members, perSecond: undefined });
    fleet.start();
    resources.defer(() => fleet.stop());
    await Promise.all(envoys.map((envoy) => envoy.settled()));
    await eventually("the fleet is in sync", () => fleet.report.inSync === proxies, patient);
    using callers = new Callers(ports);
    await eventually(
      "all gateways answer",
      () => ports.every((_, number) => callers.of(number).has("200 old")),
      patient,
    );

    // A change that breaks requests. The server is killed while its first proxy has it.
    const gate = { [rolloutAnnotations.query]: errors, [rolloutAnnotations.most]: "0" };
    mesh.write("hello.yaml", hello(503, "broken", { ...gate, [rolloutAnnotations.wait]: "10m" }));
    await eventually("the first wave has it", () => callers.of(0).has("503 broken"), patient);
    await killAndRestart();
    await eventually("it is halted", async () => (await rolloutOf(server))?.phase === "halted", patient);
    const before = callers.of(0).get("200 old") ?? 0;
    await eventually("it is taken back", () => (callers.of(0).get("200 old") ?? 0) > before + 20, patient);
    expect((await rolloutOf(server))?.reason).toMatch(/^the query gives \d+, and at most 0 is allowed$/u);
    expect((await rolloutOf(server))?.wave).toBe(1);
    const broken = callers.of(0).get("503 broken");
    await killAndRestart();
    await Promise.all(envoys.map((envoy) => envoy.settled(patient)));
    await eventually("the fleet is back", () => fleet.report.connected === proxies, patient);
    expect((await rolloutOf(server))?.phase).toBe("halted");
    expect(callers.of(0).get("503 broken")).toBe(broken);
    for (const number of [1, 2]) expect([...callers.of(number).keys()]).toEqual(["200 old"]);

    process.stderr.write(`${broken} requests failed, all at the proxy of the first wave\n`);
    if (!isWhole) return;

    // The next version is good. The server is killed in its second wave, and at its end.
    mesh.write("hello.yaml", hello(200, "new", { [rolloutAnnotations.wait]: "6s" }));
    await eventually("the first wave has it", () => callers.of(0).has("200 new"), patient);
    await eventually("the second wave begins", async () => (await rolloutOf(server))?.wave === 2, patient);
    await killAndRestart();
    await eventually(
      "all gateways have it",
      () => ports.every((_, number) => callers.of(number).has("200 new")),
      patient,
    );
    await killAndRestart();
    await Promise.all(envoys.map((envoy) => envoy.settled(patient)));
    expect((await pageOf(server)).rollouts).toEqual([]);
    for (const [number] of ports.entries()) {
      const answers = [...callers.of(number).keys()].toSorted();
      expect(answers).toEqual(number === 0 ? ["200 new", "200 old", "503 broken"] : ["200 new", "200 old"]);
    }
  }, 300_000);
});

async function pageOf(server: BinnacleProcess): Promise<RolloutsPage> {
  const { body } = await get(server.httpPort, "/debug/rollouts");
  return JSON.parse(body) as RolloutsPage;
}

async function rolloutOf(server: BinnacleProcess): Promise<ShownRollout | undefined> {
  return (await pageOf(server)).rollouts[0];
}
