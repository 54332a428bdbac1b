import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Resource } from "../../../src/pilot/model/resource.ts";
import { clusterType, endpointType, listenerType, secretType } from "../../../src/xds/type-urls.ts";
import { adsBootstrap, type EnvoyNode } from "../support/envoy/bootstrap.ts";
import { type EnvoyProcess, startEnvoyWith } from "../support/envoy/envoy.ts";
import type { IssuedFiles } from "../support/tls/certificates.ts";

/** All resources of a proxy, by the short names of their types. */
export type GeneratedResources = ReadonlyMap<string, readonly Resource[]>;

interface JudgeOptions {
  /** The certificate for every secret. Without it the Envoy gets no secrets. */
  readonly certificates?: IssuedFiles;
  /** `stock` leaves out the runtime settings of our bootstrap. */
  readonly runtime?: "ours" | "stock";
}

type Stream = ServerDuplexStream<DeltaDiscoveryRequest, DeltaDiscoveryResponse>;
type Any = DeltaDiscoveryResponse["resources"][number]["resource"];

/** How long an Envoy may take to judge: silence is not consent. Busy machines have stalled for more than 10 s. */
const patienceMs = 60_000;

/**
 * A real Envoy that receives any configuration of a test, and reports its rejections. The control plane between them is
 * the test's own. It sends everything and holds nothing back.
 *
 * Routes are sent inside listeners. Envoy accepts route configurations only for listeners that are ready for them.
 */
export class EnvoyJudge {
  readonly #certificates: IssuedFiles | undefined;
  readonly #server = new Server();
  readonly #verdicts = new Map<string, (message: string) => void>();
  /** Names and versions of the resources offered last, by type. */
  readonly #offered = new Map<string, ReadonlyMap<string, string>>();
  readonly #ports = new Map<string, number>();
  readonly #rejectedEndpoints: string[] = [];
  #endpoints: ReadonlyMap<string, Any> = new Map();
  #stream: Stream | undefined;
  /** Resolves when the Envoy subscribes to listeners, which it does after it has clusters. */
  readonly #ready = Promise.withResolvers<void>();
  #nonce = 0;
  #envoy: EnvoyProcess | undefined;

  private constructor(certificates: IssuedFiles | undefined) {
    this.#certificates = certificates;
  }

  static async start(node: EnvoyNode, { certificates, runtime = "ours" }: JudgeOptions = {}): Promise<EnvoyJudge> {
    const judge = new EnvoyJudge(certificates);
    const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
    const form = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (message: DeltaDiscoveryRequest) => Buffer.from(toBinary(DeltaDiscoveryRequestSchema, message)),
      requestDeserialize: (bytes: Buffer) => fromBinary(DeltaDiscoveryRequestSchema, bytes),
      responseSerialize: (message: DeltaDiscoveryResponse) =>
        Buffer.from(toBinary(DeltaDiscoveryResponseSchema, message)),
      responseDeserialize: (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
    };
    judge.#server.addService({ judge: form }, { judge: (stream: Stream) => judge.#serve(stream) });
    const xdsPort = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, port: number) => (error === null ? resolve(port) : reject(error));
      judge.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
    });
    const { layered_runtime, ...stock } = adsBootstrap(xdsPort, "delta", node);
    judge.#envoy = await startEnvoyWith(runtime === "ours" ? { ...stock, layered_runtime } : stock);
    await judge.#ready.promise;
    return judge;
  }

  /** The rejections of this configuration, in the words of the Envoy. */
  async judge(generated: GeneratedResources): Promise<readonly string[]> {
    this.#rejectedEndpoints.length = 0;
    this.#endpoints = new Map(resourcesOf(generated, "EDS").map(({ name, any }) => [name, any]));
    const clusters = await this.#offer(clusterType, resourcesOf(generated, "CDS"));
    const listeners = [
      ...resourcesOf(generated, "LDS"),
      ...resourcesOf(generated, "RDS").map((routes) => inListener(routes, this.#portFor(routes.name))),
    ];
    const others = await this.#offer(listenerType, listeners);
    return [clusters, others, ...this.#rejectedEndpoints].filter((message) => message !== "");
  }

  log(): string {
    return this.#envoy?.log() ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#envoy?.stop();
    this.#server.forceShutdown();
  }

  #serve(stream: Stream): void {
    this.#stream = stream;
    stream.on("error", () => undefined);
    stream.on("data", (request: DeltaDiscoveryRequest) => {
      const { typeUrl, responseNonce, errorDetail } = request;
      this.#verdicts.get(responseNonce)?.(errorDetail?.message ?? "");
      // The Envoy begins with nothing, so that it becomes ready whatever the later configuration is.
      if (responseNonce === "" && [clusterType, listenerType].includes(typeUrl)) this.#send(typeUrl, [], []);
      if (typeUrl === listenerType) this.#ready.resolve();
      if (typeUrl === endpointType) this.#answerEndpoints(request);
      if (typeUrl === secretType) this.#answerSecrets(request);
    });
  }

  #answerEndpoints({ resourceNamesSubscribe: names, errorDetail }: DeltaDiscoveryRequest): void {
    if (errorDetail !== undefined) this.#rejectedEndpoints.push(errorDetail.message);
    if (names.length > 0) this.#sendEndpoints(names);
  }

  /** Also sends empty assignments for unknown names: a cluster waits for its endpoints. */
  #sendEndpoints(names: readonly string[]): void {
    const resources = names.flatMap((name) => {
      const any = this.#endpoints.get(name);
      return any === undefined ? [] : [{ name, any, version: `${this.#nonce}` }];
    });
    const absent = names.filter((name) => !this.#endpoints.has(name));
    this.#send(endpointType, resources, absent);
  }

  /** Sends one certificate for every name: clusters and listeners also wait for their secrets. */
  #answerSecrets({ resourceNamesSubscribe: names }: DeltaDiscoveryRequest): void {
    if (names.length === 0 || this.#certificates === undefined) return;
    const { certificateChain, privateKey, rootCertificates } = this.#certificates;
    const authority = { case: "validationContext", value: { trustedCa: file(rootCertificates) } } as const;
    const pair = { certificateChain: file(certificateChain), privateKey: file(privateKey) };
    const resources = names.map((name) => {
      const isAuthority = name.endsWith("-cacert") || name === "ROOTCA";
      const type = isAuthority ? authority : ({ case: "tlsCertificate", value: pair } as const);
      return { name, version: "1", any: anyPack(SecretSchema, create(SecretSchema, { name, type })) };
    });
    this.#send(secretType, resources, []);
  }

  /** The port of the listener around these routes. No two share an address, even while one of them drains. */
  #portFor(name: string): number {
    const port = this.#ports.get(name) ?? this.#ports.size + 1;
    this.#ports.set(name, port);
    return port;
  }

  async #offer(typeUrl: string, resources: readonly Offered[]): Promise<string> {
    const before = this.#offered.get(typeUrl) ?? new Map<string, string>();
    const now = new Map(resources.map(({ name, version }) => [name, version]));
    const changed = resources.filter(({ name, version }) => before.get(name) !== version);
    const removed = [...before.keys()].filter((name) => !now.has(name));
    if (changed.length + removed.length === 0) return "";
    const { promise, resolve } = Promise.withResolvers<string>();
    const nonce = this.#send(typeUrl, changed, removed);
    this.#verdicts.set(nonce, resolve);
    // A changed cluster waits for its endpoints again, although it has them.
    if (typeUrl === clusterType) this.#sendEndpoints(changed.map(({ name }) => name));
    const timer = setTimeout(() => resolve(`no answer for ${typeUrl}`), patienceMs);
    const verdict = await promise;
    clearTimeout(timer);
    this.#verdicts.delete(nonce);
    // After a rejection it is unknown which resources the Envoy has, so all are offered again.
    this.#offered.set(typeUrl, verdict === "" ? now : new Map([...now.keys()].map((name) => [name, "?"])));
    return verdict;
  }

  #send(typeUrl: string, resources: readonly Offered[], removedResources: readonly string[]): string {
    this.#nonce += 1;
    const nonce = `${this.#nonce}`;
    const entries = resources.map(({ name, version, any }) => ({ name, version, resource: any }));
    this.#stream?.write(
      create(DeltaDiscoveryResponseSchema, {
        typeUrl,
        nonce,
        resources: entries,
        removedResources: [...removedResources],
      }),
    );
    return nonce;
  }
}

interface Offered {
  readonly name: string;
  readonly version: string;
  readonly any: Any;
}

function resourcesOf(generated: GeneratedResources, type: string): readonly Offered[] {
  return (generated.get(type) ?? []).map(({ name, version, entry }) => ({
    name,
    version,
    // An entry has the encoding that it has in a response.
    any: fromBinary(DiscoveryResponseSchema, entry).resources[0],
  }));
}

/** A listener without clients that contains a route configuration. */
function inListener({ name, version, any }: Offered, port: number): Offered {
  const routeConfig = fromBinary(RouteConfigurationSchema, any?.value ?? new Uint8Array());
  routeConfig.validateClusters = false;
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix: "judged",
    routeSpecifier: { case: "routeConfig", value: routeConfig },
    httpFilters: [{ name: "router", ...typed(anyPack(RouterSchema, create(RouterSchema))) }],
  });
  const socket = { address: "127.9.9.9", portSpecifier: { case: "portValue", value: port } } as const;
  const listener = create(ListenerSchema, {
    name: `routes of ${name}`,
    address: { address: { case: "socketAddress", value: socket } },
    bindToPort: false,
    filterChains: [{ filters: [{ name: "http", ...typed(anyPack(HttpConnectionManagerSchema, manager)) }] }],
  });
  return { name: listener.name, version: `in ${version}`, any: anyPack(ListenerSchema, listener) };
}

function file(filename: string) {
  return { specifier: { case: "filename", value: filename } } as const;
}

function typed<Value>(value: Value) {
  return { configType: { case: "typedConfig", value } } as const;
}
