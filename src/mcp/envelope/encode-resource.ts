import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Config } from "../../config/config.ts";
import { errorFrom } from "../../lib/errors.ts";
import { oncePer } from "../../lib/memo.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import { varintLength, WireWriter } from "../../xds/wire/wire-format.ts";
import type { McpCollection } from "../collections.ts";
import { wireTime } from "./create-time.ts";
import { EnvelopeError } from "./envelope-error.ts";
import { withOwnAnnotations } from "./own-annotations.ts";
import { resourceName } from "./resource-name.ts";

/** One object on the wire. */
interface EncodedResource {
  /** The whole entry of `Resources.resources`: tag, length, bytes. */
  readonly entry: Uint8Array;
  /** The part of the entry with the bytes of `istio.mcp.v1alpha1.Resource`. */
  readonly resource: Uint8Array;
}

const resourcesField = 3;

/** Counts all encoded envelopes: one per object, for any number of sinks. */
export const envelopeWriter = new ProtoWriter();

/**
 * The bytes of `istio.mcp.v1alpha1.Resource`, encoded once per object. Throws an {@link EnvelopeError} for an object
 * that does not belong in the collection (WIRE-2) or cannot be encoded.
 */
export function encodeResource(config: Config, collection: McpCollection): Uint8Array {
  return encodedIn(collection)(config).resource;
}

/** The resource as an entry of `Resources.resources`. Both share their bytes. */
export function encodeEntry(config: Config, collection: McpCollection): Uint8Array {
  return encodedIn(collection)(config).entry;
}

/** Objects are immutable. */
const encodedIn = oncePer((collection: McpCollection) =>
  oncePer((config: Config): EncodedResource => {
    const bytes = envelopeOf(config, collection, resourceName(config, collection));
    const head = new WireWriter(1 + varintLength(bytes.length)).header(resourcesField, bytes.length).bytes;
    const entry = Buffer.concat([head, bytes]);
    return { entry, resource: entry.subarray(head.length) };
  }),
);

/** The envelope under another name. Not cached. */
export function envelopeOf(config: Config, { kind, body }: McpCollection, name: string): Uint8Array {
  const { labels, version, createdAt, spec } = config;
  if (config.kind !== kind.kind || !body.fits(spec)) {
    throw new EnvelopeError(name, `a ${config.kind} does not belong among ${body.typeUrl}`);
  }
  const annotations = withOwnAnnotations(config, kind);
  const metadata = { name, createTime: wireTime(createdAt), version, labels, annotations };
  try {
    return envelopeWriter.encode(ResourceSchema, { metadata, body: body.encode(spec) });
  } catch (thrown) {
    const cause = errorFrom(thrown);
    throw new EnvelopeError(name, cause.message, { cause });
  }
}
