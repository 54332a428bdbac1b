import fc from "fast-check";
import { configId } from "../../../src/config/config.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { parseConfigs } from "../../../src/config/parse/parse.ts";
import type { Question } from "../../../src/pilot/xds/status/progress/object-progress.ts";
import type { Goal, ObjectReport } from "../../../src/pilot/xds/status/progress/object-report.ts";
import { proxySelectorOf } from "../../../src/pilot/xds/status/progress/proxy-selector.ts";
import { JournalMesh } from "../../../src/testing/desk/journal-mesh.ts";
import type { TappedStream } from "../../../src/testing/desk/stream-tap.ts";
import type { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import { clusterType, routeType } from "../../../src/xds/type-urls.ts";

/** Two VirtualServices in one route configuration, a ServiceEntry whose endpoint changes, and a Sidecar. */
export type ObjectName = "a" | "b" | "e" | "s";
const kindOf = { a: "VirtualService", b: "VirtualService", e: "ServiceEntry", s: "Sidecar" } as const;

const objectName = fc.constantFrom<ObjectName>("a", "b", "e", "s");
const anyProxy = fc.nat(4);

export const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("edit" as const), name: objectName }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("revert" as const), name: objectName }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("wait for" as const), name: objectName }) },
  { weight: 16, arbitrary: fc.record({ type: fc.constant("step" as const), proxy: anyProxy }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("advance" as const), ms: fc.constant(16_000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reconnect" as const), proxy: anyProxy }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reject" as const), proxy: anyProxy }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("accept" as const), proxy: anyProxy }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("join" as const) }) },
);
export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function service(name: string, address: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: ${address}}]
`;
}

/** The bytes that show this content of the object on the wire. */
function markerOf(name: ObjectName, content: number): string {
  return name === "e"
    ? `10.77.${Math.floor(content / 100)}.${(content % 100) + 100}`
    : `edit-${name}-${1000 + content}`;
}

/** The extra service that the Sidecar shows. */
const extraOf = (content: number) => `x${content % 3}`;

function textOf(name: ObjectName, content: number): string {
  if (name === "e") return service("e", markerOf("e", content));
  if (name === "s") {
    const hosts = ["a", "b", "e", extraOf(content)].map((each) => `"./${each}.shop.svc.cluster.local"`);
    return `
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: s, namespace: shop}
spec: {egress: [{hosts: [${hosts.join(", ")}]}]}
`;
  }
  const host = `${name}.shop.svc.cluster.local`;
  return `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${host}]
  http: [{headers: {request: {set: {x-edit: "${markerOf(name, content)}"}}}, route: [{destination: {host: ${host}}}]}]
`;
}

const extras = ["x0", "x1", "x2"];
const services = ["a", "b", ...extras].map((name, index) => service(name, `10.0.9.${index + 1}`));
const world = [...services, textOf("a", 0), textOf("b", 0), textOf("e", 0), textOf("s", 0)].join("---\n");

interface StoryProxy {
  readonly node: string;
  readonly model: EnvoyModel;
  /** All streams of the proxy, the newest last. */
  readonly streams: TappedStream[];
}

interface Wait {
  readonly name: ObjectName;
  readonly from: number;
}

interface QuestionParts {
  readonly version?: string;
  readonly proxies?: readonly string[];
  readonly allowNone?: boolean;
}

/** Edits, proxies and waits. The oracle sees only the bytes on the wire, and the state of the models of Envoy. */
export class WaitStory {
  readonly mesh: JournalMesh;
  readonly proxies: StoryProxy[] = [];
  readonly ended: ObjectReport[] = [];
  /** Waits that ended although the wire says otherwise. */
  readonly mistakes: string[] = [];
  readonly #open = new Set<Wait>();
  readonly #content = { a: 0, b: 0, e: 0, s: 0 };
  readonly #newest = { a: 0, b: 0, e: 0, s: 0 };
  readonly firstVersions: Readonly<Record<ObjectName, string>>;

  private constructor(mesh: JournalMesh) {
    this.mesh = mesh;
    this.firstVersions = { a: this.#version("a"), b: this.#version("b"), e: this.#version("e"), s: this.#version("s") };
  }

  static async begin({ proxies = 4 } = {}): Promise<WaitStory> {
    const story = new WaitStory(await JournalMesh.serving(world));
    for (let index = 0; index < proxies; index++) story.#join();
    await story.settle();
    return story;
  }

  get open(): readonly Wait[] {
    return [...this.#open];
  }

  async run(next: Action): Promise<void> {
    switch (next.type) {
      case "edit":
        return await this.#edit(next.name, ++this.#newest[next.name]);
      case "revert":
        return await this.#edit(next.name, Math.max(0, this.#content[next.name] - 1));
      case "wait for":
        void this.waitFor(next.name);
        return await turns();
      case "step":
        this.proxies[next.proxy]?.model.step();
        return await turns();
      case "advance":
        this.mesh.clock.advance(next.ms);
        return await this.mesh.discovery.idle();
      case "reconnect":
        return this.#reconnect(next.proxy);
      case "reject": {
        const proxy = this.proxies[next.proxy];
        if (proxy !== undefined) proxy.model.reject = (typeUrl) => typeUrl === routeType;
        return;
      }
      case "accept": {
        const proxy = this.proxies[next.proxy];
        if (proxy !== undefined) proxy.model.reject = () => false;
        return;
      }
      case "join":
        if (this.proxies.length < 5) this.#join();
    }
  }

  /** All proxies accept from now on and answer everything. A further edit repairs everything that was rejected. */
  async settle(): Promise<void> {
    const models = this.proxies.map(({ model }) => model);
    for (const model of models) model.reject = () => false;
    await this.mesh.settle(models);
    if (this.#open.size === 0) return;
    for (const name of ["a", "b"] as const) await this.#edit(name, ++this.#newest[name]);
    await this.mesh.settle(models);
    // A silent proxy may still ask for more, as far as the server knows.
    this.mesh.clock.advance(6_000);
    await this.mesh.settle(models);
    await turns();
  }

  async pushed(): Promise<void> {
    await this.mesh.pushed();
  }

  /** The server reads the next content of the object, and its debounce goes on. */
  editWithoutPush(name: ObjectName): void {
    this.#content[name] = ++this.#newest[name];
    this.mesh.source.apply(textOf(name, this.#content[name]));
  }

  delete(name: ObjectName): void {
    this.mesh.source.remove(textOf(name, this.#content[name]));
  }

  /** The version that the object will have after its next edit. */
  versionAfterEdit(name: ObjectName): string {
    const text = textOf(name, this.#newest[name] + 1);
    const { configs } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
    return configs[0]?.version ?? "";
  }

  report(name: ObjectName, goal: Goal = "live", parts: QuestionParts = {}): ObjectReport {
    return this.mesh.waits.report(questionOf(name, goal, parts));
  }

  async waitFor(name: ObjectName, goal: Goal = "live", parts: QuestionParts = {}): Promise<ObjectReport | undefined> {
    const wait = { name, from: this.#content[name] };
    this.#open.add(wait);
    const report = await this.mesh.waits.reached(questionOf(name, goal, parts), 10 * 60_000);
    this.#open.delete(wait);
    if (report === undefined) return undefined;
    this.ended.push(report);
    if (report.state === "live") this.mistakes.push(...this.#contradictions(name));
    return report;
  }

  /** Proxies with a stream whose last acknowledged bytes do not show the content of the object. */
  #contradictions(name: ObjectName): readonly string[] {
    const content = this.#content[name];
    return this.proxies.flatMap(({ node, model, streams }) => {
      const wrong = (what: string) => [`${name}: ${node} ${what}, and not ${markerOf(name, content)}`];
      if (name === "s") {
        const held = model.names(clusterType);
        const shown = extras.filter((extra) => held.some((cluster) => cluster.includes(`${extra}.shop`)));
        return shown.join() === extraOf(content) ? [] : wrong(`has ${shown.join(" and ")}`);
      }
      const acked = this.#lastAcked(name, streams);
      return acked === markerOf(name, content) ? [] : wrong(`acknowledged ${acked}`);
    });
  }

  /** The content in the response that the proxy acknowledged last, of those with any content of the object. */
  #lastAcked(name: ObjectName, streams: readonly TappedStream[]): string | undefined {
    const all = Array.from({ length: this.#newest[name] + 1 }, (_, content) => markerOf(name, content));
    const acked = streams
      .flatMap(({ responses }) => responses)
      .filter(({ answer }) => answer?.type === "ack")
      .toSorted((x, y) => (x.answer?.order ?? 0) - (y.answer?.order ?? 0));
    const shown = acked.flatMap(({ bytes }) => all.find((marker) => holds(bytes, marker)) ?? []);
    return shown.at(-1);
  }

  async #edit(name: ObjectName, content: number): Promise<void> {
    this.#content[name] = content;
    this.mesh.source.apply(textOf(name, content));
    this.mesh.clock.advance(50);
    await this.mesh.discovery.idle();
  }

  #join(): void {
    const index = this.proxies.length;
    const nodeId = `sidecar~10.0.0.${index + 1}~p${index}.shop~shop.svc.cluster.local`;
    const metadata = { NAMESPACE: "shop", LABELS: { app: `p${index}` } };
    const model = this.mesh.connect(index % 2 === 0 ? "sotw" : "delta", { nodeId, metadata });
    this.proxies.push({ node: nodeId, model, streams: this.mesh.tap.streams.slice(-1) });
  }

  #reconnect(index: number): void {
    const proxy = this.proxies[index];
    if (proxy === undefined) return;
    proxy.model.disconnect();
    proxy.model.connect(this.mesh.tap);
    proxy.streams.push(...this.mesh.tap.streams.slice(-1));
  }

  #version(name: ObjectName): string {
    const id = configId(kindOf[name], "shop", name);
    return this.mesh.environment.inputOf(id)?.get(`shop/${name}`)?.version ?? "";
  }
}

/** The marker, and not a longer one that begins like it. */
function holds(bytes: Buffer, marker: string): boolean {
  const at = bytes.indexOf(marker);
  return at !== -1 && !/\d/u.test(String.fromCharCode(bytes[at + marker.length] ?? 0));
}

function questionOf(name: ObjectName, goal: Goal, parts: QuestionParts): Question {
  const { version, proxies = [], allowNone = false } = parts;
  const selectors = proxies.map(proxySelectorOf).filter((selector) => selector !== undefined);
  return { id: configId(kindOf[name], "shop", name), goal, version, proxies: selectors, expected: [], allowNone };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
