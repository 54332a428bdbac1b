import { type DescField, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { errorFrom } from "../../../../lib/errors.ts";
import { envoyRegistry } from "../envoy-registry.ts";
import { typeNameOf } from "../merge-any.ts";
import type { PatchProblem } from "../patch-run.ts";
import { brokenBy, constraintsOn, isRequired, isUnchecked, messagesIn } from "./field-constraints.ts";

/** Fields of a message that break the `validate` rules of Envoy's protos, also inside an Any. Envoy would refuse it. */
export function violationsIn(desc: DescMessage, message: Message): readonly PatchProblem[] {
  return messageViolations(reflect(desc, message), "");
}

function messageViolations(message: ReflectMessage, path: string): readonly PatchProblem[] {
  const { desc } = message;
  if (desc.typeName === AnySchema.typeName) return anyViolations(message.message as Any, path);
  if (desc.typeName.startsWith("google.protobuf.") || isUnchecked(desc)) return [];
  const missing = desc.oneofs
    .filter((oneof) => isRequired(oneof) && message.oneofCase(oneof) === undefined)
    .map(({ name }) => ({ path: below(path, name), reason: "is required" }));
  return [...missing, ...desc.fields.flatMap((field) => fieldViolations(message, field, below(path, field.name)))];
}

/** A type that Binnacle does not know is left to Envoy. */
function anyViolations(any: Any, path: string): readonly PatchProblem[] {
  const desc = envoyRegistry().getMessage(typeNameOf(any));
  if (desc === undefined) return [];
  try {
    return messageViolations(reflect(desc, fromBinary(desc, any.value)), path);
  } catch (thrown) {
    return [{ path, reason: errorFrom(thrown).message }];
  }
}

function fieldViolations(message: ReflectMessage, field: DescField, path: string): readonly PatchProblem[] {
  const constraints = constraintsOn(field);
  const broken = constraints === undefined ? [] : brokenBy(message, field, constraints);
  const inner = message.isSet(field) ? messagesIn(message, field) : [];
  return [
    ...broken.map((reason) => ({ path, reason })),
    ...inner.flatMap(([place, each]) => messageViolations(each, `${path}${place}`)),
  ];
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
