import { type DescField, type DescMessage, type DescOneof, fromBinary, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { envoyTypes } from "../../admin/resource/envoy-types.ts";
import { assert } from "../../lib/assert.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import {
  brokenBy,
  constrainedName,
  constraintsOn,
  isRequired,
  isUnchecked,
  messagesIn,
} from "../../pilot/networking/patch/check/field-constraints.ts";

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
    const inner = isSet ? messagesIn(message, field).flatMap(([, each]) => this.#message(each)) : [];
    return [...broken.map((text) => `${name}: ${text}`), ...inner];
  }
}
