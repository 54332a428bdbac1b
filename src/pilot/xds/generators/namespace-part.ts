import type { Proxy } from "../../model/proxy.ts";
import type { PartInputs } from "../generator.ts";

/** What all routers of a namespace share. */
export interface NamespacePart extends PartInputs {
  readonly namespace: string;
}

/** Sidecars get nothing yet. */
export function namespaceParts({ type, namespace }: Proxy): readonly NamespacePart[] {
  return type === "router" ? [{ id: namespace, namespace }] : [];
}
