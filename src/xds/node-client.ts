import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { errorFrom } from "../lib/errors.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { type Admitted, invalid, type Refusal } from "./admission.ts";
import type { Client } from "./resource-source.ts";
import { xdsLimits } from "./xds-limits.ts";

/** A client as the node in its first message describes it. */
export interface NodeClient extends Client {
  readonly cluster: string;
  readonly metadata: JsonObject;
}

/** Accepts every node that has an id, without further checks. A node above the size limit is refused undecoded. */
export function introduceNode(maxNodeBytes: number = xdsLimits.nodeBytes.most): Admitted<NodeClient>["introduce"] {
  return (bytes) => {
    if (bytes === undefined) return invalid("missing node: the first message of a stream must carry one");
    const excess = excessOf(bytes, maxNodeBytes);
    if (excess !== undefined) return excess;
    const client = readNode(bytes);
    if (client instanceof Error) return invalid(`the node cannot be read: ${client.message}`);
    return client.nodeId === "" ? invalid("missing node id") : { type: "client", client };
  };
}

function excessOf({ length }: Uint8Array, maxNodeBytes: number): Refusal | undefined {
  if (length <= maxNodeBytes) return undefined;
  const message = `a node of ${length} bytes is larger than the limit of ${maxNodeBytes} bytes`;
  return { type: "refused", status: GrpcStatus.RESOURCE_EXHAUSTED, message };
}

function readNode(bytes: Uint8Array): NodeClient | Error {
  try {
    const { id: nodeId, cluster, metadata = {} } = fromBinary(NodeSchema, bytes);
    return { nodeId, cluster, metadata };
  } catch (thrown) {
    return errorFrom(thrown);
  }
}
