import { fieldPath } from "../field-path.ts";
import type { Finding } from "../finding.ts";
import { allowedText } from "./text.ts";
import { unique } from "./unique.ts";

/** The curves that Envoy supports. */
export const knownCurves: readonly string[] = ["P-256", "P-384", "P-521", "X25519", "X25519MLKEM768"];

/** For an unknown or repeated curve, Envoy rejects every listener and cluster with TLS. */
export function ecdhCurves(listed: readonly string[], path: string): readonly Finding[] {
  return [
    ...listed.flatMap((curve, index) => allowedText(curve, knownCurves, fieldPath(path, index))),
    ...unique(listed, path, { what: "the curve", valueOf: (curve) => curve }),
  ];
}
