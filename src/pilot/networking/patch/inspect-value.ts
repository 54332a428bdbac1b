import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { PatchOperation } from "../../model/policy/envoy-patch.ts";
import { envoyRegistry } from "./envoy-registry.ts";

/** Facts about a patch's JSON that its message no longer shows. */
export interface Inspection {
  /** Fields that have no effect, each with the reason. */
  readonly remarks: readonly string[];
  /** The first `@type` that is no message of Envoy. */
  readonly unknownType: { readonly path: string; readonly reason: string } | undefined;
}

/** Finds fields that Envoy's message does not have, unknown types, and zero values that a merge ignores. */
export function inspectValue(desc: DescMessage, value: JsonObject, operation: PatchOperation): Inspection {
  const inspector = new Inspector(operation === "MERGE" || operation === "MERGE_AND_REPLACE_LIST");
  inspector.message(desc, value, "");
  return { remarks: inspector.remarks, unknownType: inspector.unknownType };
}

class Inspector {
  readonly remarks: string[] = [];
  unknownType: Inspection["unknownType"];
  readonly #merges: boolean;

  constructor(merges: boolean) {
    this.#merges = merges;
  }

  message(desc: DescMessage, json: JsonValue, path: string, inList = false): void {
    if (!isObject(json)) return;
    if (desc.typeName === "google.protobuf.Any") return this.#any(json, path, inList);
    if (desc.typeName.startsWith("google.protobuf.")) return;
    for (const [key, value] of Object.entries(json)) {
      const field = desc.fields.find(({ name, jsonName }) => name === key || jsonName === key);
      const at = path === "" ? key : `${path}.${key}`;
      if (field === undefined) this.remarks.push(`${at}: unknown field of ${desc.typeName}, ignored`);
      else this.#field(field, value, at, inList);
    }
  }

  #any(json: JsonObject, path: string, inList: boolean): void {
    const { "@type": typeUrl, ...rest } = json;
    if (typeof typeUrl !== "string") return;
    const typeName = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
    const desc = envoyRegistry().getMessage(typeName);
    if (desc !== undefined) return this.message(desc, rest, path, inList);
    this.unknownType ??= {
      path: path === "" ? "@type" : `${path}.@type`,
      reason: `unknown type ${typeName}: write it as an xds.type.v3.TypedStruct, which Envoy resolves itself`,
    };
  }

  #field(field: DescField, value: JsonValue, path: string, inList: boolean): void {
    if (field.fieldKind === "list" && Array.isArray(value)) {
      if (field.message === undefined) return;
      for (const [index, item] of value.entries()) this.message(field.message, item, `${path}[${index}]`, true);
    } else if (field.fieldKind === "map" && isObject(value)) {
      if (field.message === undefined) return;
      for (const [key, item] of Object.entries(value)) this.message(field.message, item, `${path}.${key}`, true);
    } else if (this.#merges && !inList && isZero(field, value)) {
      this.remarks.push(`${path}: a merge ignores the value ${JSON.stringify(value)}`);
    } else if (field.message !== undefined) {
      this.message(field.message, value, path, inList);
    }
  }
}

/** Values that count as unset in protobuf, so that a merge cannot write them over another value. */
function isZero(field: DescField, value: JsonValue): boolean {
  const isPlain = field.fieldKind === "scalar" || (field.message !== undefined && isWrapperDesc(field.message));
  return isPlain && (value === 0 || value === false || value === "" || value === "0");
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
