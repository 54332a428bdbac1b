import { type DescMessage, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { errorFrom } from "../../../lib/errors.ts";
import { envoyRegistry } from "./envoy-registry.ts";

/** A field whose JSON is not what Envoy's message needs. */
export interface UnreadableField {
  readonly path: string;
  readonly reason: string;
}

/** The innermost field that cannot be read; undefined for readable JSON. */
export function unreadableField(desc: DescMessage, json: JsonValue, path = ""): UnreadableField | undefined {
  const error = errorOf(desc, json);
  if (error === undefined) return undefined;
  if (!isObject(json)) return { path, reason: error };
  if (desc.typeName === "google.protobuf.Any") {
    const { "@type": type, ...body } = json;
    const inner =
      typeof type === "string" ? envoyRegistry().getMessage(type.slice(type.lastIndexOf("/") + 1)) : undefined;
    return (inner && unreadableField(inner, body, path)) ?? { path, reason: error };
  }
  for (const [key, value] of Object.entries(json)) {
    const found = unreadableEntry(desc, key, value, path === "" ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return { path, reason: error };
}

function unreadableEntry(desc: DescMessage, key: string, value: JsonValue, path: string): UnreadableField | undefined {
  const field = desc.fields.find(({ name, jsonName }) => name === key || jsonName === key);
  if (field === undefined) return undefined;
  const error = errorOf(desc, { [key]: value });
  if (error === undefined) return undefined;
  const { message } = field;
  if (message !== undefined && field.fieldKind === "list" && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = unreadableField(message, item, `${path}[${index}]`);
      if (found !== undefined) return found;
    }
  } else if (message !== undefined && field.fieldKind === "message") {
    return unreadableField(message, value, path);
  }
  return { path, reason: error };
}

function errorOf(desc: DescMessage, json: JsonValue): string | undefined {
  try {
    fromJson(desc, json, { registry: envoyRegistry(), ignoreUnknownFields: true });
    return undefined;
  } catch (thrown) {
    // The library names the message or field first, which the path says better.
    return errorFrom(thrown).message.replace(/^cannot decode .*? from JSON: /su, "is not valid: ");
  }
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
