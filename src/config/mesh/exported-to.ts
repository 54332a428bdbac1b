import { compareTexts } from "../../lib/compare.ts";
import type { Labels } from "../config.ts";

const annotation = "networking.istio.io/exportTo";

/** The namespaces in the export annotation of a Kubernetes service: sorted, each once; empty without the annotation. */
export function exportedTo(annotations: Labels): readonly string[] {
  const names = (annotations[annotation] ?? "").split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))].toSorted(compareTexts);
}
