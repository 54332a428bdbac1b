import { fromBinary, type JsonObject, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { withoutKeys } from "../lib/without-keys.ts";
import type { Mode } from "../xds/mode.ts";
import type { RequestCause } from "./step.ts";

/** A request without the keys, tokens and passwords that a node or a rejection may contain. */
export function recordedRequest(stream: number, bytes: Uint8Array, mode: Mode): RequestCause {
  const clean = mode === "sotw" ? cleaned(DiscoveryRequestSchema, bytes) : cleaned(DeltaDiscoveryRequestSchema, bytes);
  const text = Buffer.from(clean).toString("base64");
  return { type: "request", stream, bytes: text, ...(clean !== bytes && { redacted: true }) };
}

type RequestSchema = typeof DiscoveryRequestSchema | typeof DeltaDiscoveryRequestSchema;

/** The same bytes if nothing has to be left out. A message that cannot be read is recorded as an empty one. */
function cleaned(schema: RequestSchema, bytes: Uint8Array): Uint8Array {
  let request: MessageShape<RequestSchema>;
  try {
    request = fromBinary(schema, bytes);
  } catch {
    return new Uint8Array();
  }
  const isClean = [cleanNode(request.node), cleanError(request.errorDetail)].every(Boolean);
  return isClean ? bytes : toBinary(schema, request);
}

type Request = MessageShape<typeof DiscoveryRequestSchema>;

/** Leaves out the keys in a node. Returns whether there were none. */
function cleanNode(node: Request["node"]): boolean {
  if (node === undefined) return true;
  const { id, cluster, metadata } = node;
  const plain: JsonObject = { id, cluster, metadata: metadata ?? {} };
  const clean = withoutKeys(plain);
  if (clean === plain) return true;
  Object.assign(node, clean);
  return false;
}

function cleanError(error: Request["errorDetail"]): boolean {
  if (error === undefined) return true;
  const message = withoutKeys(error.message);
  if (message === error.message && error.details.length === 0) return true;
  error.message = message;
  error.details = [];
  return false;
}

/** The id of the node in a request. Undefined if it has none. */
export function nodeIdIn(bytes: Uint8Array, mode: Mode): string | undefined {
  try {
    const { node } = fromBinary(mode === "sotw" ? DiscoveryRequestSchema : DeltaDiscoveryRequestSchema, bytes);
    return node?.id;
  } catch {
    return undefined;
  }
}
