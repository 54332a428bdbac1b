import type { DocumentedFlag } from "../command.ts";

/** A flag with a value. `byDefault` is its default. */
export function valueFlag(name: string, placeholder: string, doc: string, byDefault = ""): DocumentedFlag {
  return { name, type: "value", placeholder, doc, default: byDefault };
}

/** A flag that takes none. */
export function switchFlag(name: string, doc: string): DocumentedFlag {
  return { name, type: "switch", placeholder: "", doc, default: "" };
}
