import { fromBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { type BinnacleProcess, startBinnacle } from "../../e2e/support/binnacle/server.ts";
import { MeshDir } from "../../e2e/support/mesh-dir.ts";
import { destinationsYaml, ofCluster, serveNames } from "./serve-names.ts";
import { type DiscoveryService, type State, type TestNode, typeUrls, type XdsSubject } from "./subject.ts";
import { TestStream } from "./test-stream.ts";

const services = Object.keys(typeUrls) as DiscoveryService[];

/**
 * `binnacle serve` on an edited folder. Our own client watches everything. An edit is published once the watcher has
 * seen it, and every later client gets it.
 */
export class ServeSubject implements XdsSubject, AsyncDisposable {
  readonly address: string;
  readonly patienceMs = 10_000;
  readonly #binnacle: BinnacleProcess;
  readonly #folder: MeshDir;
  readonly #client: Client;
  readonly #watcher: TestStream;
  /** File → its text. */
  readonly #files = new Map<string, string>();
  /** Service and letter → the content that the watcher holds. */
  readonly #seen = new Map<string, string>();

  private constructor(binnacle: BinnacleProcess, folder: MeshDir) {
    this.address = `127.0.0.1:${binnacle.xdsPort}`;
    this.#binnacle = binnacle;
    this.#folder = folder;
    this.#client = new Client(this.address, credentials.createInsecure());
    const variant = { mode: "delta", aggregated: true } as const;
    const options = { variant, service: "CDS", patienceMs: this.patienceMs } as const;
    this.#watcher = new TestStream(this.#client, this.newNode(), options);
  }

  static async start(): Promise<ServeSubject> {
    const folder = new MeshDir({ "destinations.yaml": destinationsYaml });
    const subject = new ServeSubject(await startBinnacle({ dir: folder.path }), folder);
    for (const service of services) {
      subject.#watcher.subscribe(service, service === "CDS" || service === "LDS" ? ["*"] : ["~"]);
    }
    return subject;
  }

  newNode(): TestNode {
    return {
      id: "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local",
      metadata: { NAMESPACE: "istio-system", LABELS: { app: "gw" } },
      set: (state, version) => this.#edit(this.#difference(state, version)),
      put: (service, name, version) =>
        this.#edit(new Map([[`${service} ${name}`, serveNames[service].yaml(name, version)]])),
      remove: (service, name) => this.#edit(new Map([[`${service} ${name}`, undefined]])),
      wireName: (service, letter) => serveNames[service].wireName(letter),
      letter: (service, wireName) => serveNames[service].letter(wireName),
      endpointsOf: (cluster) => `${cluster}${ofCluster}`,
      exists,
      verbatimVersions: false,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher.cancel();
    this.#client.close();
    await this.#binnacle.stop();
    this.#folder[Symbol.dispose]();
  }

  /** The edits of files that lead to this state. */
  #difference(state: State, version: string): ReadonlyMap<string, string | undefined> {
    const wanted = new Map<string, string>();
    for (const service of services) {
      const own = state[service]?.filter((name) => !name.endsWith(ofCluster)) ?? [];
      for (const name of own) wanted.set(`${service} ${name}`, serveNames[service].yaml(name, version));
    }
    const gone = [...this.#files.keys()].filter((key) => !wanted.has(key));
    const news = [...wanted].filter(([key, text]) => this.#files.get(key) !== text);
    return new Map([...gone.map((key) => [key, undefined] as const), ...news]);
  }

  async #edit(changes: ReadonlyMap<string, string | undefined>): Promise<void> {
    const before = new Map(this.#seen);
    for (const [key, text] of changes) {
      const file = `${key.replace(" ", "-").replace("~", "tilde")}.yaml`;
      if (text === undefined) this.#folder.remove(file);
      else this.#folder.write(file, text);
      if (text === undefined) this.#files.delete(key);
      else this.#files.set(key, text);
      const [service, name] = key.split(" ") as [DiscoveryService, string];
      if (service === "EDS" || service === "RDS") this.#watcher.subscribe(service, [name]);
    }
    const isDone = ([key, text]: readonly [string, string | undefined]) =>
      text === undefined ? !this.#seen.has(key) : this.#seen.has(key) && this.#seen.get(key) !== before.get(key);
    while (![...changes].every(isDone)) this.#look(await this.#watcher.next());
  }

  #look({ service, resources, removed }: Awaited<ReturnType<TestStream["next"]>>): void {
    for (const [name, version] of resources) this.#seen.set(`${service} ${name}`, version);
    for (const name of removed) this.#seen.delete(`${service} ${name}`);
  }
}

/** False for an empty resource, with which the server answers for an unknown name. */
function exists(service: DiscoveryService, value: Uint8Array): boolean {
  if (service === "EDS") return fromBinary(ClusterLoadAssignmentSchema, value).endpoints.length > 0;
  if (service !== "RDS") return true;
  return fromBinary(RouteConfigurationSchema, value).virtualHosts.some(
    ({ domains, routes }) => domains.includes("*") && routes.length > 0,
  );
}
