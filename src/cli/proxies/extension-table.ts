import type { ConfigId } from "../../config/config.ts";
import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";

/** As `istioctl proxy-config ecds` has it, with the objects behind each configuration. */
export function extensionTable({ extensions, referenceOf }: KnownConfig): string {
  const rows = extensions.map(({ name, type, owners }) => [
    name,
    type,
    owners.map((id) => objectText(id, referenceOf(id))).join(", "),
  ]);
  return textTable(["ECDS NAME", "TYPE", "OBJECT"], rows);
}

/** `WasmPlugin name.namespace (file:line)` */
function objectText(id: ConfigId, reference: string | undefined): string {
  const [kind = "", namespace = "", name = ""] = id.split("/");
  return `${kind} ${name}.${namespace}${reference === undefined ? "" : ` (${reference})`}`;
}
