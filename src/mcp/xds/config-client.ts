import type { Admitted } from "../../xds/admission.ts";
import { introduceNode, type NodeClient } from "../../xds/node-client.ts";
import { scanFields } from "../../xds/wire/wire-format.ts";

/** A client that requests configuration, with its preferences. */
export interface ConfigClient extends NodeClient {
  /** Limits objects to this revision and those without one (XS-11). Undefined for all objects. */
  readonly revision: string | undefined;
  /** Whether the client resolves short hosts, and takes services in native form instead of as ServiceEntries. */
  readonly takesAsWritten: boolean;
}

/** The node metadata key of the requested generator. Clients without it are proxies. */
const generatorKey = "GENERATOR";
const configGenerator = "api";
const revisionKey = "ISTIO_REVISION";
/** Our own key, sent by Binnacle clients. */
const formKey = "BINNACLE_FORM";
const asWritten = "as-written";

/** The node metadata of our own client. */
export const ownMetadata = { [generatorKey]: configGenerator, [formKey]: asWritten };

const introduce = introduceNode();

/** Reads the node of a stream's first message as that of a {@link ConfigClient}. */
export const introduceConfigClient: Admitted<ConfigClient>["introduce"] = (node) => {
  const introduced = introduce(node);
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
 * Whether a node requests configuration instead of Envoy resources. This runs for every stream, and a node may have 60
 * kB. So it reads only `metadata` 3: a Struct of entries 1, each with a key 1 and a value 2, which is a string 3.
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
