import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { Client, credentials } from "@grpc/grpc-js";
import {
  Adapter,
  ResourceRequestSchema,
  ResourceResponseSchema,
  SetStateRequestSchema,
  SetStateResponseSchema,
} from "#gen/adapter/adapter_pb.js";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { adapterMethods } from "../../../scripts/conformance/adapter.ts";
import { stderrLogger } from "../../../scripts/conformance/stderr-logger.ts";
import { createGrpcServer } from "../../../src/transport/server/grpc-server.ts";
import { createXdsServer, type ServeOptions, SnapshotSource } from "../../../src/xds.ts";
import { type DiscoveryService, type State, type TestNode, typeUrls, type XdsSubject } from "./subject.ts";

interface LibrarySubjectOptions {
  /** Stands between the wire and the server. */
  readonly between?: NonNullable<ServeOptions["between"]>;
  readonly patienceMs?: number;
}

/** `binnacle/xds` on a socket, told what to serve by the adapter of the public harness on another. */
export class LibrarySubject implements XdsSubject, AsyncDisposable {
  readonly address: string;
  readonly patienceMs: number;
  readonly #adapter: Client;
  readonly #stop: () => Promise<void>;
  #nodes = 0;

  private constructor(address: string, patienceMs: number, adapter: Client, stop: () => Promise<void>) {
    this.address = address;
    this.patienceMs = patienceMs;
    this.#adapter = adapter;
    this.#stop = stop;
  }

  /** `patienceMs` is for servers that are known to fail. */
  static async start({ between, patienceMs = 20_000 }: LibrarySubjectOptions = {}): Promise<LibrarySubject> {
    const source = new SnapshotSource();
    const target = createXdsServer({ address: "127.0.0.1:0", source, ...(between && { between }) });
    const adapterTables = adapterMethods({ source, holdBackMs: 0 });
    const adapter = createGrpcServer({ address: "127.0.0.1:0", ...adapterTables, logger: stderrLogger });
    const client = new Client(await adapter.start(), credentials.createInsecure());
    return new LibrarySubject(await target.start(), patienceMs, client, async () => {
      client.close();
      await Promise.all([target.stop(), adapter.stop({ graceMs: 0 })]);
    });
  }

  newNode(): TestNode {
    const node = `test-id-${++this.#nodes}`;
    const change = (method: string) => async (service: DiscoveryService, resourceName: string, version: string) => {
      const request = { node, typeUrl: typeUrls[service], resourceName, version };
      await this.#call(method, ResourceRequestSchema, ResourceResponseSchema, request);
    };
    const put = change("UpdateResource");
    const remove = change("RemoveResource");
    const set = async (state: State, version: string) => {
      const entries = Object.entries(state) as [DiscoveryService, readonly string[]][];
      const resources = entries.flatMap(([service, names]) => names.map((name) => bodies[service](name)));
      await this.#call("SetState", SetStateRequestSchema, SetStateResponseSchema, { node, version, resources });
    };
    return {
      id: node,
      metadata: {},
      set,
      setMany: (service, names, version) => set({ [service]: names }, version),
      put,
      remove: (service, name) => remove(service, name, ""),
      wireName: (_service, letter) => letter,
      letter: (_service, wireName) => wireName,
      endpointsOf: (cluster) => cluster,
      exists: () => true,
      verbatimVersions: true,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop();
  }

  #call<Request extends DescMessage>(
    method: string,
    request: Request,
    response: DescMessage,
    init: MessageInitShape<Request>,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#adapter.makeUnaryRequest(
        `/${Adapter.typeName}/${method}`,
        (message: MessageInitShape<Request>) => Buffer.from(toBinary(request, create(request, message))),
        (bytes: Buffer) => fromBinary(response, bytes),
        init,
        (error) => (error === null ? resolve() : reject(error)),
      );
    });
  }
}

const bodies: Readonly<Record<DiscoveryService, (name: string) => Any>> = {
  CDS: (name) => {
    const type = { case: "type", value: Cluster_DiscoveryType.EDS } as const;
    return anyPack(ClusterSchema, create(ClusterSchema, { name, clusterDiscoveryType: type }));
  },
  EDS: (clusterName) => anyPack(ClusterLoadAssignmentSchema, create(ClusterLoadAssignmentSchema, { clusterName })),
  LDS: (name) => anyPack(ListenerSchema, create(ListenerSchema, { name })),
  RDS: (name) => anyPack(RouteConfigurationSchema, create(RouteConfigurationSchema, { name })),
};
