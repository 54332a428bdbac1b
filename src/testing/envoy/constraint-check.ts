import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromBinary,
  getOption,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, anyUnpack, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { disabled, required, rules } from "#gen/validate/validate_pb.js";
import { envoyTypes } from "../../admin/resource/envoy-types.ts";
import { assert } from "../../lib/assert.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import { type Constraint, type FieldConstraints, readRules } from "./constraint.ts";

/** Rules that Envoy 1.40 no longer has: the npm package with its protos is older. */
const outdated = new Set(["envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig.resolvers"]);

/** Options are decoded each time that they are asked for. */
function remembered<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.has(key) ? (known.get(key) as Value) : read(key);
    known.set(key, value);
    return value;
  };
}

const isUnchecked = remembered((desc: DescMessage) => getOption(desc, disabled));
export const isRequired = remembered((oneof: DescOneof) => getOption(oneof, required));

/** The demands of Envoy's protos on a field, or undefined where they make none. */
export const constraintsOn = remembered((field: DescField) =>
  hasOption(field, rules) && !outdated.has(constrainedName(field))
    ? readRules(field, getOption(field, rules))
    : undefined,
);

/**
 * Holds generated resources to the `validate` rules in Envoy's protos, as an Envoy does before it looks at anything
 * else. It is much faster than an Envoy, and it keeps the names of all constrained fields that it has seen filled.
 */
export class ConstraintCheck {
  /** Fields and oneofs, such as `envoy.config.cluster.v3.Cluster.name`. */
  readonly filled = new Set<string>();
  readonly #checked = new Set<Resource["version"]>();

  /** The violations of a resource, each with its field; none for content that was checked before. */
  check({ version, entry }: Resource): readonly string[] {
    if (this.#checked.has(version)) return [];
    this.#checked.add(version);
    // An entry is written as it stands in a response.
    return fromBinary(DiscoveryResponseSchema, entry).resources.flatMap((any) => this.#any(any));
  }

  checkMessage(desc: DescMessage, message: Message): readonly string[] {
    return this.#message(reflect(desc, message));
  }

  #any(any: Any): readonly string[] {
    const message = anyUnpack(any, envoyTypes);
    const desc = message && envoyTypes.getMessage(message.$typeName);
    assert(message !== undefined && desc !== undefined, `${any.typeUrl} is a type we send`);
    return this.checkMessage(desc, message);
  }

  #message(message: ReflectMessage): readonly string[] {
    const { desc } = message;
    if (desc.typeName === AnySchema.typeName) return this.#any(message.message as Any);
    if (desc.typeName.startsWith("google.protobuf.") || isUnchecked(desc)) return [];
    return [
      ...desc.oneofs.flatMap((oneof) => this.#oneof(message, oneof)),
      ...desc.fields.flatMap((field) => this.#field(message, field)),
    ];
  }

  #oneof(message: ReflectMessage, oneof: DescOneof): readonly string[] {
    if (!isRequired(oneof)) return [];
    const name = constrainedName(oneof);
    this.filled.add(name);
    return message.oneofCase(oneof) === undefined ? [`${name}: is required`] : [];
  }

  #field(message: ReflectMessage, field: DescField): readonly string[] {
    const name = constrainedName(field);
    const constraints = constraintsOn(field);
    const isSet = message.isSet(field);
    if (constraints !== undefined && isSet) this.filled.add(name);
    const broken = constraints === undefined ? [] : brokenBy(message, field, constraints);
    const inner = isSet ? messagesIn(message, field).flatMap((each) => this.#message(each)) : [];
    return [...broken.map((text) => `${name}: ${text}`), ...inner];
  }
}

/** Such as `envoy.config.cluster.v3.Cluster.name`. */
export function constrainedName({ parent, name }: DescField | DescOneof): string {
  return `${parent.typeName}.${name}`;
}

/** The constraints that the value of a field breaks, in words. */
function brokenBy(message: ReflectMessage, field: DescField, constraints: FieldConstraints): readonly string[] {
  const { isRequired, onValue, onItems, onKeys } = constraints;
  if (!message.isSet(field)) {
    // Of a oneof another field may be set.
    if (field.oneof !== undefined) return [];
    if (isRequired) return ["is required"];
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

function messagesIn(message: ReflectMessage, field: DescField): readonly ReflectMessage[] {
  if (field.fieldKind === "message") return [message.get(field)];
  if (field.fieldKind === "list" && field.listKind === "message")
    return [...message.get(field)].filter((item) => isReflectMessage(item));
  if (field.fieldKind === "map" && field.mapKind === "message")
    return [...message.get(field).values()].filter((item) => isReflectMessage(item));
  return [];
}
