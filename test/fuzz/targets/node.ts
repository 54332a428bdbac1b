import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { isIpAddress } from "../../../src/config/grammar/address.ts";
import { deepEqual } from "../../../src/lib/equal.ts";
import { BadNode, proxyOf, readNode } from "../../../src/pilot/xds/node.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

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
  ],
  words: ["sidecar~", "LABELS", "PROXY_CONFIG", "INSTANCE_IPS", "SDS_MODE", "INTERCEPTION_MODE", "METADATA", "NETWORK"],
  planted: { file: "src/pilot/xds/node.ts", before: '  const parts = id.split("~");', text: "id" },
  check: (input) => {
    const proxy = orRefused(() => readNode(input), BadNode);
    if (proxy !== undefined)
      promise(proxy.ipAddresses.length > 0 && proxy.ipAddresses.every(isIpAddress), "a proxy has addresses");
    const node = decode(input);
    if (node === undefined) return;
    const inPart = orRefused(() => readNode(toBinary(NodeSchema, node)), BadNode);
    const whole = orRefused(() => proxyOf(node), BadNode);
    promise(deepEqual(inPart, whole), "a part of the bytes says the same as all of them");
  },
};

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
