import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { errorFrom } from "../lib/errors.ts";
import { type Admitted, invalid } from "./admission.ts";
import type { Client } from "./resource-source.ts";

/** A client as its first message describes it. */
export interface NodeClient extends Client {
  readonly cluster: string;
  readonly metadata: JsonObject;
}

/** Takes every node that has an id at its word. */
export const introduceNode: Admitted<NodeClient>["introduce"] = (bytes) => {
  if (bytes === undefined) return invalid("missing node: the first message of a stream must carry one");
  const client = readNode(bytes);
  if (client instanceof Error) return invalid(`the node cannot be read: ${client.message}`);
  return client.nodeId === "" ? invalid("missing node id") : { type: "client", client };
};

function readNode(bytes: Uint8Array): NodeClient | Error {
  try {
    const { id: nodeId, cluster, metadata = {} } = fromBinary(NodeSchema, bytes);
    return { nodeId, cluster, metadata };
  } catch (thrown) {
    return errorFrom(thrown);
  }
}
