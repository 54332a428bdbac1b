import { compareTexts } from "../../lib/compare.ts";
import type { Labels } from "../config.ts";

const annotation = "networking.istio.io/exportTo";

/** The namespaces that a Kubernetes service is exported to, as its annotation says: sorted, each once; empty without it. */
export function exportedTo(annotations: Labels): readonly string[] {
  const names = (annotations[annotation] ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))].toSorted(compareTexts);
}
