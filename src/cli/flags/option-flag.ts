import type { Option } from "../../app/options/option.ts";
import type { DocumentedFlag } from "../command.ts";

/** A setting of the server as a flag. */
export function optionFlag({ name, type, doc, defaultText }: Option<unknown>): DocumentedFlag {
  const { placeholder } = type;
  return { name, type: placeholder === "" ? "switch" : "value", placeholder, doc, default: defaultText };
}
