import { RBACSchema as HttpRbacSchema } from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Extension } from "../../model/policy/extension.ts";
import { failsOpen, layerOf } from "../../model/policy/extension-support.ts";

/**
 * The configuration of the RBAC filter that takes the place of an extension that cannot run, as an encoded Any. It
 * rejects all traffic, or with failStrategy FAIL_OPEN none. Istio's agent does the same with a module that it cannot
 * fetch.
 */
export function placeholder(extension: Extension, writer: ProtoWriter): Uint8Array {
  return encodePlaceholder([writer], { layer: layerOf(extension), open: failsOpen(extension) });
}

const encodePlaceholder = memoize(
  (
    [writer]: readonly [ProtoWriter],
    { layer, open }: { readonly layer: "http" | "network"; readonly open: boolean },
  ) => {
    // RBAC without rules lets all traffic pass. RBAC with an empty list of rules lets none pass.
    const rules = open ? undefined : {};
    const statPrefix = open ? "wasm-default-allow" : "wasm-default-deny";
    if (layer === "network") return writer.any(NetworkRbacSchema, { rules, statPrefix });
    return writer.any(HttpRbacSchema, { rules, rulesStatPrefix: statPrefix });
  },
);
