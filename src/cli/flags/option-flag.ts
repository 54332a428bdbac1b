import type { Option } from "../../app/options.ts";
import type { DocumentedFlag } from "../command.ts";

/** A setting of the server as a flag. */
export function optionFlag({ name, type, doc, defaultText }: Option<unknown>): DocumentedFlag {
  return { name, type: "value", placeholder: type.placeholder, doc, default: defaultText };
}
