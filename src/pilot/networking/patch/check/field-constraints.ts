import { type DescField, type DescMessage, type DescOneof, getOption, hasOption } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { disabled, required, rules } from "#gen/validate/validate_pb.js";
import { oncePer } from "../../../../lib/memo.ts";
import { type Constraint, type FieldConstraints, readRules } from "./constraint.ts";

/** Rules that Envoy 1.40 no longer has: the npm package with its protos is older. */
const outdated: ReadonlySet<string> = new Set([
  "envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig.resolvers",
]);

/** Messages that Envoy does not check. Options are decoded each time that they are asked for, so the answer is kept. */
export const isUnchecked: (desc: DescMessage) => boolean = oncePer((desc) => getOption(desc, disabled));

/** Whether one of the fields must be set. */
export const isRequired: (oneof: DescOneof) => boolean = oncePer((oneof) => getOption(oneof, required));

/** The demands of Envoy's protos on a field, or undefined where they make none. */
export function constraintsOn(field: DescField): FieldConstraints | undefined {
  return constraintsOf(field).constraints;
}

const constraintsOf = oncePer((field: DescField): { readonly constraints: FieldConstraints | undefined } => ({
  constraints:
    hasOption(field, rules) && !outdated.has(constrainedName(field))
      ? readRules(field, getOption(field, rules))
      : undefined,
}));

/** Such as `envoy.config.cluster.v3.Cluster.name`. */
export function constrainedName({ parent, name }: DescField | DescOneof): string {
  return `${parent.typeName}.${name}`;
}

/** The constraints that the value of a field breaks, in words. */
export function brokenBy(message: ReflectMessage, field: DescField, constraints: FieldConstraints): readonly string[] {
  const { isRequired: isNeeded, onValue, onItems, onKeys } = constraints;
  if (!message.isSet(field)) {
    // Of a oneof another field may be set.
    if (field.oneof !== undefined) return [];
    if (isNeeded) return ["is required"];
    // Numbers, texts, lists and maps have a value also where nobody wrote one.
    if (field.fieldKind === "message") return [];
  }
  if (field.fieldKind === "list" || field.fieldKind === "map") {
    const items = itemsOf(message, field);
    const keys = field.fieldKind === "map" ? [...message.get(field).keys()] : [];
    return [
      ...broken(onValue, [items]),
      ...broken(onItems, items).map((text) => `each: ${text}`),
      ...broken(onKeys, keys).map((text) => `each key: ${text}`),
    ];
  }
  return broken(onValue, [plain(message.get(field))]);
}

function broken(constraints: readonly Constraint[], values: readonly unknown[]): readonly string[] {
  return constraints.filter(({ holds }) => !values.every((value) => holds(value))).map(({ text }) => text);
}

function itemsOf(message: ReflectMessage, field: DescField & { fieldKind: "list" | "map" }): readonly unknown[] {
  const values = field.fieldKind === "list" ? message.get(field) : message.get(field).values();
  return Array.from(values as Iterable<unknown>, plain);
}

/** Rules of a wrapper are about the value in it. */
function plain(value: unknown): unknown {
  if (!isReflectMessage(value)) return value;
  const [wrapped] = value.desc.fields;
  return isWrapperDesc(value.desc) && wrapped !== undefined ? value.get(wrapped) : value.message;
}

/** The messages in a field, each with its place in a list or map: `""`, `[0]` or `.key`. */
export function messagesIn(message: ReflectMessage, field: DescField): readonly (readonly [string, ReflectMessage])[] {
  if (field.fieldKind === "message") return [["", message.get(field)]];
  if (field.fieldKind === "list" && field.listKind === "message")
    return [...message.get(field)].flatMap((item, index) =>
      isReflectMessage(item) ? [[`[${index}]`, item] as const] : [],
    );
  if (field.fieldKind === "map" && field.mapKind === "message")
    return [...message.get(field).entries()].flatMap(([key, item]) =>
      isReflectMessage(item) ? [[`.${String(key)}`, item] as const] : [],
    );
  return [];
}
