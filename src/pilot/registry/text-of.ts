import { type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import { kindOf } from "../../config/kinds.ts";

/** All texts in an object, one per line, as their author wrote them. */
export function textOf({ apiVersion, kind, spec }: Config): string {
  const row = kindOf(apiVersion, kind);
  return row === undefined ? "" : textsIn(toJson(row.schema, spec as Message)).join("\n");
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
