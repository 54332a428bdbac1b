import type { JsonValue } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { kindOf } from "../../config/kinds.ts";
import { specJson } from "../../config/spec-json.ts";

/** All texts in an object, one per line, as their author wrote them. */
export function textOf(config: Config): string {
  const row = kindOf(config.apiVersion, config.kind);
  return row === undefined ? "" : textsIn(specJson(config, row.schema)).join("\n");
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
