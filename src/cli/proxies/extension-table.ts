import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import { objectTexts } from "./owner-places.ts";

/** As `istioctl proxy-config ecds` has it, with the objects behind each configuration. It has no more columns. */
export function extensionTable(known: KnownConfig): string {
  const rows = known.extensions.map(({ name, type, owners }) => [name, type, objectTexts(owners, known)]);
  return textTable(["ECDS NAME", "TYPE", "OBJECT"], rows);
}
