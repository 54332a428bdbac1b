import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { BadNode, proxyOf } from "../../pilot/xds/node.ts";
import type { DocumentedFlag } from "../command.ts";
import { type BootstrapNode, describeNode, type NodeSketch } from "../nodes/describe-node.ts";
import { valueFlag } from "./flag.ts";
import { pairOf } from "./pair-of.ts";
import type { ReadFlags } from "./read-flags.ts";

const idDoc =
  "Node ID of the proxy: TYPE~NAME.NAMESPACE, or in full TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN. TYPE is sidecar or router.";

/** The flags that describe a proxy. `name` is the flag with its node ID. */
export function nodeFlags(name: "node" | "from"): readonly DocumentedFlag[] {
  return [valueFlag(name, "ID", idDoc), ...workloadFlags];
}

/** The facts of a proxy beside its node ID. */
export const workloadFlags: readonly DocumentedFlag[] = [
  valueFlag(
    "label",
    "KEY=VALUE",
    "Label of the workload. May be repeated. By default, app is the name without its number.",
  ),
  valueFlag(
    "meta",
    "KEY=VALUE",
    "Node metadata, such as INTERCEPTION_MODE=REDIRECT, SDS_MODE=agent or GENERATOR=grpc. May be repeated.",
  ),
];

/** The node as its bootstrap file would have it, and the proxy that our server would take it for. */
export interface ReadNode {
  readonly node: BootstrapNode;
  readonly proxy: Proxy;
}

/** Throws `bad-option` for a node that no server would take. The metadata given here is laid over that of the flags. */
export function readNodeFlags(
  flags: ReadFlags,
  name: "node" | "from",
  sketch: Omit<NodeSketch, "id" | "labels">,
): ReadNode {
  return readNode(idOf(flags, name), flags, { ...sketch, argument: `--${name}` });
}

/** The same for an id in another argument of the command line. */
export function readNode(
  id: string,
  flags: ReadFlags,
  { argument, metadata, ...sketch }: Omit<NodeSketch, "id" | "labels"> & { readonly argument: string },
): ReadNode {
  const labels = Object.fromEntries(flags.values("label").map((text) => pairOf("label", text)));
  const written = Object.fromEntries(flags.values("meta").map((text) => metadataOf(text)));
  try {
    const node = describeNode({ ...sketch, id, labels, metadata: { ...written, ...metadata } });
    return { node, proxy: proxyOf(create(NodeSchema, node)) };
  } catch (thrown) {
    if (!(thrown instanceof BadNode)) throw thrown;
    throw new MeshError("bad-option", `${argument}: ${thrown.message}`, { cause: thrown });
  }
}

/** Which proxy, as it was written. Throws `bad-option` when it was not. */
export function idOf(flags: ReadFlags, name: "node" | "from"): string {
  const id = flags.value(name);
  if (id !== "") return id;
  throw new MeshError("bad-option", `--${name} is missing: name a proxy, such as router~gw-0.istio-system`);
}

/** Lists and mappings are written as JSON; everything else is text, as agents send it. */
function metadataOf(text: string): readonly [key: string, value: JsonValue] {
  const [key, value] = pairOf("meta", text);
  if (!/^[[{]/u.test(value)) return [key, value];
  try {
    return [key, JSON.parse(value) as JsonObject];
  } catch (cause) {
    throw new MeshError("bad-option", `--meta ${key}: ${errorFrom(cause).message}`, { cause });
  }
}
