import { type DescField, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { errorFrom } from "../../../../lib/errors.ts";
import { oncePer } from "../../../../lib/memo.ts";
import { envoyRegistry } from "../envoy-registry.ts";
import { typeNameOf } from "../merge-any.ts";
import type { PatchProblem } from "../patch-run.ts";
import { brokenBy, constraintsOn, isRequired, isUnchecked, messagesIn } from "./field-constraints.ts";

/** Messages that are not checked. */
interface Unchecked {
  has(message: object): boolean;
}

const noMessages: Unchecked = new Set();

/**
 * Fields of a message that break the `validate` rules of Envoy's protos, also inside an Any. Envoy would refuse it. The
 * `unchecked` messages inside are skipped.
 */
export function violationsIn(
  desc: DescMessage,
  message: Message,
  unchecked: Unchecked = noMessages,
): readonly PatchProblem[] {
  return messageViolations(reflect(desc, message), "", unchecked);
}

function messageViolations(message: ReflectMessage, path: string, unchecked: Unchecked): readonly PatchProblem[] {
  const { desc } = message;
  if (unchecked.has(message.message)) return [];
  if (desc.typeName === AnySchema.typeName) return anyViolations(message.message as Any, path);
  const { oneofs, fields } = checkedPartsOf(desc);
  const missing = oneofs
    .filter((oneof) => message.oneofCase(oneof) === undefined)
    .map(({ name }) => ({ path: below(path, name), reason: "is required" }));
  const broken = fields.flatMap((field) => fieldViolations(message, field, below(path, field.name), unchecked));
  return [...missing, ...broken];
}

/** Most fields have neither rules nor messages. A route configuration has many thousands of them. */
const checkedPartsOf = oncePer((desc: DescMessage) => ({
  oneofs: isChecked(desc) ? desc.oneofs.filter(isRequired) : [],
  fields: isChecked(desc) ? desc.fields.filter((field) => constraintsOn(field) !== undefined || hasChecked(field)) : [],
}));

/** Whether the values of the field are messages that may break rules. */
function hasChecked({ message }: DescField): boolean {
  return message !== undefined && (message.typeName === AnySchema.typeName || isChecked(message));
}

function isChecked(desc: DescMessage): boolean {
  return !desc.typeName.startsWith("google.protobuf.") && !isUnchecked(desc);
}

/** A type that Binnacle does not know is left to Envoy. */
function anyViolations(any: Any, path: string): readonly PatchProblem[] {
  const desc = envoyRegistry().getMessage(typeNameOf(any));
  if (desc === undefined) return [];
  try {
    return messageViolations(reflect(desc, fromBinary(desc, any.value)), path, noMessages);
  } catch (thrown) {
    return [{ path, reason: errorFrom(thrown).message }];
  }
}

function fieldViolations(
  message: ReflectMessage,
  field: DescField,
  path: string,
  unchecked: Unchecked,
): readonly PatchProblem[] {
  const constraints = constraintsOn(field);
  const broken = constraints === undefined ? [] : brokenBy(message, field, constraints);
  const inner = message.isSet(field) && hasChecked(field) ? messagesIn(message, field) : [];
  return [
    ...broken.map((reason) => ({ path, reason })),
    ...inner.flatMap(([place, each]) => messageViolations(each, `${path}${place}`, unchecked)),
  ];
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
