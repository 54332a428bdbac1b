import { fromBinary } from "@bufbuild/protobuf";
import { type Resource, ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Config } from "../../config/config.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import type { ApiAge } from "../../config/old-api/api-age.ts";
import { withConcurrencyMessage } from "../../config/old-api/mesh-concurrency.ts";
import { modernize } from "../../config/old-api/modernize.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { McpCollection } from "../collections.ts";
import { readWireTime } from "./create-time.ts";
import { EnvelopeError } from "./envelope-error.ts";
import { readOwnAnnotations } from "./own-annotations.ts";
import { readResourceName } from "./resource-name.ts";

const contentHash = /^[0-9a-f]{16}$/;

/** Reads the bytes of `istio.mcp.v1alpha1.Resource`. Throws an {@link EnvelopeError} with this name. */
export function readEnvelope(bytes: Uint8Array, name = ""): Resource {
  try {
    return fromBinary(ResourceSchema, bytes);
  } catch (thrown) {
    throw new EnvelopeError(name, "no envelope of a resource", { cause: thrown });
  }
}

/** The sender of an envelope. */
export interface Sender {
  /** Becomes the source of the object's origin. */
  readonly sourceName: string;
  /** The API age of objects that do not come from a Binnacle. */
  readonly age: ApiAge;
}

/** The object in an envelope. Throws an {@link EnvelopeError}. */
export function openEnvelope({ metadata, body }: Resource, collection: McpCollection, sender: Sender): Config {
  const { sourceName } = sender;
  if (metadata === undefined) throw new EnvelopeError("", "there is no metadata");
  const { name: wireName, labels } = metadata;
  const id = readResourceName(wireName, collection);
  if (id === undefined) throw new EnvelopeError(wireName, "this is neither namespace/name nor a name");
  const createdAt = readWireTime(metadata.createTime);
  if (createdAt === undefined) throw new EnvelopeError(wireName, "create_time is out of range");
  const { annotations, apiVersion, reference } = readOwnAnnotations(metadata.annotations, collection.kind);
  const spec = bodyOf(wireName, body, collection);
  modernize(spec, reference === undefined ? sender.age : "today");
  const origin = { source: sourceName, reference: reference ?? sourceName, locate: () => undefined };
  const content = { kind: collection.kind.kind, apiVersion, ...id, labels, annotations, createdAt, spec, origin };
  // Only a Binnacle sends the origin of an object, and only its versions are content hashes. The real Galley's versions
  // restart with every process and then belong to other content.
  const trusted = reference !== undefined && contentHash.test(metadata.version);
  return { ...content, version: trusted ? metadata.version : versionOf(wireName, content, collection) };
}

function bodyOf(wireName: string, body: Resource["body"], collection: McpCollection): unknown {
  const { typeUrl } = collection.body;
  const isMesh = collection.kind.collection === meshConfig.collection;
  if (body === undefined) throw new EnvelopeError(wireName, "there is no body");
  if (body.typeUrl !== typeUrl) throw new EnvelopeError(wireName, `expected ${typeUrl}, found ${body.typeUrl}`);
  try {
    return collection.body.decode(isMesh ? withConcurrencyMessage(body.value) : body.value);
  } catch (thrown) {
    throw new EnvelopeError(wireName, `the body is no ${typeUrl}: ${errorFrom(thrown).message}`, { cause: thrown });
  }
}

function versionOf(wireName: string, content: Omit<Config, "version">, { body }: McpCollection): string {
  try {
    return body.versionOf(content);
  } catch (thrown) {
    throw new EnvelopeError(wireName, errorFrom(thrown).message, { cause: thrown });
  }
}
