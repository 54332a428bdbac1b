import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { fieldPath } from "../field-path.ts";
import { type Finding, warning } from "../finding.ts";

/**
 * Fields that Istio removed from its API after 1.3 and that affected proxies: numbers, by message. Fields of Mixer, and
 * fields that Pilot 1.3 did not read, are not listed.
 */
const lost: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  "istio.networking.v1alpha3.HTTPRoute": {
    11: "appendHeaders",
    12: "removeResponseHeaders",
    13: "appendResponseHeaders",
    14: "removeRequestHeaders",
    15: "appendRequestHeaders",
  },
  "istio.networking.v1alpha3.HTTPRouteDestination": {
    3: "removeResponseHeaders",
    4: "appendResponseHeaders",
    5: "removeRequestHeaders",
    6: "appendRequestHeaders",
  },
  "istio.networking.v1alpha3.HTTPFaultInjection.Abort": { 1: "percent" },
  "istio.networking.v1alpha3.TLSMatchAttributes": { 4: "sourceSubnet" },
  "istio.networking.v1alpha3.PortSelector": { 2: "name" },
};

/** All fields above are in VirtualServices, so other specs are skipped. */
const affected = "istio.networking.v1alpha3.VirtualService";

/** Warns about fields of a received spec that once had an effect and are no longer read. */
export function lostFields(schema: DescMessage, spec: Message): readonly Finding[] {
  return schema.typeName === affected ? [...lostWithin(schema, spec, "spec")] : [];
}

function* lostWithin(schema: DescMessage, message: Message, path: string): Iterable<Finding> {
  const names = lost[schema.typeName] ?? {};
  for (const no of new Set(message.$unknown?.map((field) => field.no))) {
    const name = names[no];
    if (name === undefined) continue;
    const hint = name.endsWith("Headers") ? "use headers" : undefined;
    const text = `Istio removed ${name}, and it is ignored`;
    yield warning(fieldPath(path, name), { code: "unsupported-field", message: text, ...(hint && { hint }) });
  }
  for (const field of schema.fields) yield* withinField(field, message, path);
}

function* withinField(field: DescField, message: Message, path: string): Iterable<Finding> {
  if (field.message === undefined) return;
  const at = fieldPath(path, field.jsonName);
  const value: unknown = field.oneof === undefined ? Reflect.get(message, field.localName) : chosen(field, message);
  if (field.fieldKind === "message" && isMessage(value)) yield* lostWithin(field.message, value, at);
  if (field.fieldKind !== "list" || !Array.isArray(value)) return;
  for (const [index, item] of value.entries()) {
    if (isMessage(item)) yield* lostWithin(field.message, item, fieldPath(at, index));
  }
}

function chosen(field: DescField, message: Message): unknown {
  const group: unknown = Reflect.get(message, field.oneof?.localName ?? "");
  const isChosen = typeof group === "object" && group !== null && Reflect.get(group, "case") === field.localName;
  return isChosen ? Reflect.get(group, "value") : undefined;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}
