import { type DescField, getOption, type Registry, ScalarType } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { type EnvironmentVariables, EnvironmentVariablesSchema } from "#gen/envoy/extensions/wasm/v3/wasm_pb.js";
import { sensitive } from "#gen/udpa/annotations/sensitive_pb.js";
import { pullSecretVariable } from "../../pilot/networking/extension/wasm-config.ts";

/** Envoy's own placeholder for a secret. */
const placeholder = "[redacted]";

/**
 * A copy without the fields that Envoy's descriptors mark as sensitive: private keys, passwords, inline secrets, and
 * all nested fields. Pull secrets of Wasm modules are hidden too. Of a type that the registry does not know only the name stays, because its content is unknown.
 * Throws for bytes that do not match their type.
 */
export function withoutSecrets(any: Any, registry: Registry): Any {
  return redactedAny(any, registry, false);
}

function redactedAny(any: Any, registry: Registry, hidden: boolean): Any {
  const opened = anyUnpack(any, registry);
  const schema = registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf("/") + 1));
  if (opened === undefined || schema === undefined) return { ...any, value: new Uint8Array() };
  redact(reflect(schema, opened), registry, hidden);
  return anyPack(schema, opened);
}

function redact(message: ReflectMessage, registry: Registry, hidden: boolean): void {
  if (message.desc.typeName === EnvironmentVariablesSchema.typeName) {
    hidePullSecret(message.message as EnvironmentVariables);
  }
  for (const field of message.fields) {
    if (message.isSet(field)) redactField(message, field, registry, hidden || getOption(field, sensitive));
  }
}

function redactField(message: ReflectMessage, field: DescField, registry: Registry, hidden: boolean): void {
  const below = messagesIn(message, field);
  if (below === undefined) {
    if (hidden) hide(message, field);
    return;
  }
  for (const each of below) {
    if (each.desc.typeName === AnySchema.typeName) {
      const any = each.message as Any;
      any.value = redactedAny(any, registry, hidden).value;
    } else {
      redact(each, registry, hidden);
    }
  }
}

/** The messages in a field, to change in place. Undefined when the field holds plain values. */
function messagesIn(message: ReflectMessage, field: DescField): readonly ReflectMessage[] | undefined {
  if (field.message === undefined || isValue(field.message.typeName)) return undefined;
  if (field.fieldKind === "message") return [message.get(field)];
  if (field.fieldKind === "list") return [...message.get(field)].filter((each) => isReflectMessage(each));
  return field.fieldKind === "map"
    ? [...message.get(field).values()].filter((each) => isReflectMessage(each))
    : undefined;
}

/** Durations, wrappers and structs have no sensitive parts, and are hidden as a whole. */
function isValue(typeName: string): boolean {
  return typeName.startsWith("google.protobuf.") && typeName !== AnySchema.typeName;
}

/** The agent gets it in an environment variable, which Envoy's descriptors do not mark as sensitive. */
function hidePullSecret({ keyValues }: EnvironmentVariables): void {
  if (keyValues[pullSecretVariable]) keyValues[pullSecretVariable] = placeholder;
}

/** A text field still shows that there was a value. */
function hide(message: ReflectMessage, field: DescField): void {
  if (field.scalar === ScalarType.STRING && field.fieldKind === "scalar") message.set(field, placeholder);
  else if (field.scalar === ScalarType.BYTES && field.fieldKind === "scalar")
    message.set(field, Buffer.from(placeholder));
  else message.clear(field);
}
