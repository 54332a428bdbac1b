import { trafficExtension } from "../kinds/traffic-extension.ts";
import { wasmPlugin } from "../kinds/wasm-plugin.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const verificationKey: NoEffect = { reason: "Istio's agents do not check signatures: write a sha256" };

/** A group goes with its kind, and a target is in the namespace of the object. */
function reference(path: string): readonly string[] {
  return ["group", "kind", "namespace"].map((field) => `${path}.${field}`);
}

/** Fields of extensions without effect. */
export const extensionEffects: readonly KindEffects[] = [
  {
    kind: wasmPlugin,
    refused: [...reference("targetRef"), ...reference("targetRefs[]")],
    fields: { verificationKey },
  },
  {
    kind: trafficExtension,
    refused: reference("targetRefs[]"),
    fields: { "wasm.verificationKey": verificationKey },
  },
];
