import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { ClientResourceStatus } from "#gen/envoy/admin/v3/config_dump_shared_pb.js";
import {
  type ClientConfigSchema,
  type ClientStatusRequest,
  ClientStatusRequestSchema,
  ClientStatusResponseSchema,
  ConfigStatus,
} from "#gen/envoy/service/status/v3/csds_pb.js";
import type { StringMatcher } from "#gen/envoy/type/matcher/v3/string_pb.js";
import { MeshError } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Connection } from "../connection.ts";
import type { Client } from "../resource-source.ts";
import type { Resource } from "../resources/resource.ts";
import type { Subscription, SyncState } from "../subscription/subscription.ts";
import { anyIn } from "../wire/entry.ts";

export interface ClientStatusOptions<C extends Client> {
  readonly connections: () => Iterable<Connection<C>>;
  /** The node metadata of a client. */
  readonly metadataOf: (client: C) => JsonObject;
}

const path = "/envoy.service.status.v3.ClientStatusDiscoveryService";

/** CSDS: for every connected client, the sent resources and whether the client accepted them. */
export function clientStatusMethods<C extends Client>(options: ClientStatusOptions<C>) {
  const answer = (bytes: Uint8Array) => respond(readRequest(bytes), options);
  const stream = (stream: GrpcStream) => {
    const onMessage = (bytes: Uint8Array) => {
      try {
        stream.send(answer(bytes), []);
      } catch (thrown) {
        const { code, message } = MeshError.from(thrown);
        if (code !== "bad-option") throw thrown;
        stream.end(GrpcStatus.INVALID_ARGUMENT, message);
      }
    };
    stream.attach({ onMessage, onFlushed: () => undefined, onClose: () => undefined });
  };
  return {
    unary: new Map([[`${path}/FetchClientStatus`, answer]]),
    methods: new Map([[`${path}/StreamClientStatus`, stream]]),
  };
}

function readRequest(bytes: Uint8Array): ClientStatusRequest {
  try {
    return fromBinary(ClientStatusRequestSchema, bytes);
  } catch (cause) {
    throw new MeshError("bad-option", `this is no ${ClientStatusRequestSchema.typeName}`, { cause });
  }
}

function respond<C extends Client>(request: ClientStatusRequest, options: ClientStatusOptions<C>): Uint8Array {
  const matches = nodeFilter(request);
  const asked = [...options.connections()].filter(({ client }) => matches(client.nodeId));
  const config = asked.map((connection) => configOf(connection, options, request));
  return toBinary(ClientStatusResponseSchema, create(ClientStatusResponseSchema, { config }));
}

function configOf<C extends Client>(
  { id, client, subscriptions }: Connection<C>,
  { metadataOf }: ClientStatusOptions<C>,
  { excludeResourceContents }: ClientStatusRequest,
): MessageInitShape<typeof ClientConfigSchema> {
  return {
    node: { id: client.nodeId, metadata: metadataOf(client) },
    // One client may have several streams, each with its own state.
    clientScope: id,
    genericXdsConfigs: subscriptions.flatMap((subscription) =>
      resourcesOf(subscription).map((resource) => ({
        typeUrl: subscription.type.typeUrl,
        name: resource.name,
        versionInfo: resource.version,
        configStatus: configStatuses[subscription.state],
        clientStatus: clientStatuses[subscription.state],
        ...(subscription.error !== undefined && { errorState: { details: subscription.error } }),
        ...(!excludeResourceContents && { xdsConfig: fromBinary(AnySchema, anyIn(resource.entry)) }),
      })),
    ),
  };
}

function resourcesOf(subscription: Subscription): readonly Resource[] {
  return subscription.sent.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
}

const configStatuses: Readonly<Record<SyncState, ConfigStatus>> = {
  "not sent": ConfigStatus.NOT_SENT,
  rejected: ConfigStatus.ERROR,
  stale: ConfigStatus.STALE,
  synced: ConfigStatus.SYNCED,
};

const clientStatuses: Readonly<Record<SyncState, ClientResourceStatus>> = {
  "not sent": ClientResourceStatus.REQUESTED,
  rejected: ClientResourceStatus.NACKED,
  stale: ClientResourceStatus.REQUESTED,
  synced: ClientResourceStatus.ACKED,
};

/** Selects nodes that at least one matcher accepts, or every node without matchers. Matchers support only ids. */
function nodeFilter({ nodeMatchers }: ClientStatusRequest): (nodeId: string) => boolean {
  const filters = nodeMatchers.map(({ nodeId, nodeMetadatas }) => {
    if (nodeMetadatas.length > 0) throw new MeshError("bad-option", "nodes are matched by their id, not by metadata");
    return nodeId === undefined ? () => true : textFilter(nodeId);
  });
  return (nodeId) => filters.length === 0 || filters.some((takes) => takes(nodeId));
}

function textFilter({ matchPattern, ignoreCase }: StringMatcher): (text: string) => boolean {
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const { case: how, value } = matchPattern;
  if (how === "exact") return (text) => folded(text) === folded(value);
  if (how === "prefix") return (text) => folded(text).startsWith(folded(value));
  if (how === "suffix") return (text) => folded(text).endsWith(folded(value));
  if (how === "contains") return (text) => folded(text).includes(folded(value));
  throw new MeshError("bad-option", `ids are matched by exact, prefix, suffix or contains, not by ${how ?? "nothing"}`);
}
