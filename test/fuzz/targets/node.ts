import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { isIpAddress } from "../../../src/config/grammar/address.ts";
import { deepEqual } from "../../../src/lib/equal.ts";
import { BadNode, proxyOf, readNode } from "../../../src/pilot/xds/node.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/** The start and the end of a group with the number 100. */
const unknownGroup = Buffer.from([0xa3, 0x06, 0xa4, 0x06]);

/**
 * The node of a proxy. A node that cannot be used is refused with a sentence. Differential: of a valid encoding we decode
 * only a part, and read the same as after a complete decoding.
 */
export const target: FuzzTarget = {
  name: "node",
  mode: "sync",
  seeds: () => [
    nodeBytes({ NAMESPACE: "shop", LABELS: { app: "a" }, INSTANCE_IPS: "10.0.0.1,fd00::1", CLUSTER_ID: "c" }),
    nodeBytes({ SDS_MODE: "files", TLS_CERT_CHAIN: "a", TLS_KEY: "b", TLS_ROOT_CERT: "c", INTERCEPTION_MODE: "NONE" }),
    nodeBytes({ PROXY_CONFIG: { proxyMetadata: { a: "b" }, concurrency: 2, tracing: { sampling: 1 } }, GENERATOR: "" }),
    nodeBytes({}, "router~10.0.0.1~gw.istio-system~istio-system.svc.cluster.local"),
    Buffer.concat([nodeBytes({}), unknownGroup]),
  ],
  words: ["sidecar~", "LABELS", "PROXY_CONFIG", "INSTANCE_IPS", "SDS_MODE", "INTERCEPTION_MODE", "METADATA", "NETWORK"],
  planted: { file: "src/pilot/xds/node.ts", before: '  const parts = id.split("~");', text: "id" },
  check: (input) => {
    const proxy = orRefused(() => readNode(input), BadNode);
    if (proxy !== undefined)
      promise(proxy.ipAddresses.length > 0 && proxy.ipAddresses.every(isIpAddress), "a proxy has addresses");
    const node = decode(input);
    if (node === undefined) return;
    const bytes = toBinary(NodeSchema, node);
    if (isRefusedForUnknownField(bytes)) return;
    const inPart = orRefused(() => readNode(bytes), BadNode);
    const whole = orRefused(() => proxyOf(node), BadNode);
    promise(deepEqual(inPart, whole), "a part of the bytes says the same as all of them");
  },
};

/** A complete decoding skips unknown groups, and unknown varints of any length. We refuse both: no encoder writes them. */
function isRefusedForUnknownField(node: Uint8Array): boolean {
  try {
    readNode(node);
    return false;
  } catch (thrown) {
    return (
      thrown instanceof BadNode && /wire type [34] is not used|a varint has at most ten bytes/u.test(thrown.message)
    );
  }
}

/** Undefined if the bytes are no node. */
function decode(input: Uint8Array) {
  try {
    return fromBinary(NodeSchema, input);
  } catch {
    return undefined;
  }
}

function nodeBytes(metadata: JsonObject, id = "sidecar~10.0.0.1~a.shop~shop.svc.cluster.local"): Uint8Array {
  const locality = { region: "r", zone: "z" };
  const build = { version: { majorNumber: 1, minorNumber: 40 } };
  const userAgentVersionType = { case: "userAgentBuildVersion" as const, value: build };
  return toBinary(NodeSchema, create(NodeSchema, { id, cluster: "a", metadata, locality, userAgentVersionType }));
}
