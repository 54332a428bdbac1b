import type { Admitted } from "../../xds/admission.ts";
import { introduceNode, type NodeClient } from "../../xds/node-client.ts";
import { scanFields } from "../../xds/wire/wire.ts";

/** Who asks for configuration, and how it wants it. */
export interface ConfigClient extends NodeClient {
  /** Only objects of this revision, and those without one (XS-11); undefined for all. */
  readonly revision: string | undefined;
  /** Whether it knows what short hosts mean, and takes services as they are instead of as ServiceEntries. */
  readonly takesAsWritten: boolean;
}

/** In a node's metadata: what the client wants to be told. Everybody else is a proxy. */
const generatorKey = "GENERATOR";
const configGenerator = "api";
const revisionKey = "ISTIO_REVISION";
/** Ours: said by clients of this project. */
const formKey = "BINNACLE_FORM";
const asWritten = "as-written";

/** What our own client says of itself. */
export const ownMetadata = { [generatorKey]: configGenerator, [formKey]: asWritten };

/** Reads the node of a stream's first message as that of a {@link ConfigClient}. */
export const introduceConfigClient: Admitted<ConfigClient>["introduce"] = (node) => {
  const introduced = introduceNode(node);
  if (introduced.type === "refused") return introduced;
  const { metadata } = introduced.client;
  const { [revisionKey]: revision, [formKey]: form } = metadata;
  const client = {
    ...introduced.client,
    revision: typeof revision === "string" && revision !== "" ? revision : undefined,
    takesAsWritten: form === asWritten,
  };
  return { type: "client", client };
};

/**
 * Whether a node wants configuration instead of what Envoys want. Asked of every stream, so of 60 kB of node little is
 * looked at: `metadata` 3, a Struct of entries 1, each with a key 1 and a value 2, which is a text 3.
 */
export function asksForConfig(node: Uint8Array): boolean {
  const bytes = Buffer.from(node.buffer, node.byteOffset, node.length);
  let asks = false;
  scanFields(bytes, (nodeField, start, end) => {
    if (nodeField !== 3) return;
    const metadata = bytes.subarray(start, end);
    scanFields(metadata, (_entries, from, to) => {
      const { key, value } = entryOf(metadata.subarray(from, to));
      if (key.toString() === generatorKey) asks = textIn(value) === configGenerator;
    });
  });
  return asks;
}

function entryOf(entry: Buffer) {
  let key = entry.subarray(0, 0);
  let value = key;
  scanFields(entry, (field, start, end) => {
    if (field === 1) key = entry.subarray(start, end);
    else if (field === 2) value = entry.subarray(start, end);
  });
  return { key, value };
}

function textIn(value: Buffer): string {
  let text = "";
  scanFields(value, (field, start, end) => {
    if (field === 3) text = value.toString("utf8", start, end);
  });
  return text;
}
