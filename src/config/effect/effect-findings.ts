import { type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { deepEqual } from "../../lib/equal.ts";
import { fieldPath, type PathStep } from "../field-path.ts";
import type { Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import type { NoEffect } from "./effect-table.ts";
import { effectsOf } from "./effects.ts";
import { messageWithin } from "./schema-fields.ts";

/**
 * Finds settings without effect: one finding for the whole object, or one per field, at the first place that sets it. A
 * field with its default value gets no finding.
 */
export function effectFindings(kind: Kind, message: Message, path: string): readonly Finding[] {
  const effects = effectsOf(kind);
  if (effects === undefined) return [];
  const { whole, fields = {} } = effects;
  if (whole !== undefined) return [finding("", `${/^[AEIOU]/u.test(kind.kind) ? "an" : "a"} ${kind.kind}`, whole)];
  const defaults = kind.defaults?.();
  return Object.entries(fields).flatMap(([field, noEffect]) => {
    const places = [...placesOf({ message, desc: kind.schema, defaults, path }, field.split("."))];
    const [first, ...others] = places;
    if (first === undefined) return [];
    const more = others.length === 0 ? "" : ` (nor at ${others.length} more places of this object)`;
    return [finding(first, `${lastName(field)}${more}`, noEffect)];
  });
}

function finding(path: string, subject: string, { reason, security }: NoEffect): Finding {
  const message = `${subject} has no effect: ${reason}`;
  if (!security) return { severity: "warning", code: "no-effect", path, message };
  return { severity: "error", code: "no-effect", path, message, hint: "--allow-unenforced accepts it as a warning" };
}

function lastName(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1).replace(/[[{].*$/u, "");
}

interface Place {
  readonly message: Message;
  readonly desc: DescMessage;
  /** The default message. */
  readonly defaults: Message | undefined;
  readonly path: string;
}

/** The paths of a field in a message, wherever it is set. */
function* placesOf({ message, desc, defaults, path }: Place, [step, ...rest]: readonly string[]): Generator<string> {
  const name = step?.replace(/[[{].*$/u, "");
  const field = desc.fields.find(({ jsonName }) => jsonName === name);
  const value = field && fieldValue(message, field);
  if (field === undefined || value === undefined) return;
  const usual = defaults && fieldValue(defaults, field);
  if (usual !== undefined && deepEqual(usual, value)) return;
  const at = fieldPath(path, field.jsonName);
  const inner = messageWithin(field);
  if (rest.length === 0 || inner === undefined) yield at;
  else
    for (const { key, message: each, defaults: own } of messagesIn(field, value, usual))
      yield* placesOf(
        { message: each, desc: inner, defaults: own, path: key === undefined ? at : fieldPath(at, key) },
        rest,
      );
}

interface Inner {
  /** The key in a list or map. */
  readonly key: PathStep | undefined;
  readonly message: Message;
  readonly defaults: Message | undefined;
}

/** The messages in a field, without default elements of lists. */
function messagesIn({ fieldKind }: DescField, value: unknown, usual: unknown): readonly Inner[] {
  if (fieldKind === "list") {
    const common = (usual ?? []) as readonly Message[];
    const all = (value as readonly Message[]).map((message, index) => ({ key: index, message, defaults: undefined }));
    return all.filter(({ message }) => !common.some((each) => deepEqual(each, message)));
  }
  if (fieldKind === "map") {
    const entries = Object.entries(value as Readonly<Record<string, Message>>);
    return entries.map(([key, message]) => ({ key, message, defaults: undefined }));
  }
  return [{ key: undefined, message: value as Message, defaults: usual as Message | undefined }];
}

/** The value of a field in a message; undefined if the field is not set. */
function fieldValue(message: Message, field: DescField): unknown {
  if (!isFieldSet(message, field)) return undefined;
  if (field.oneof === undefined) return Reflect.get(message, field.localName);
  const chosen = Reflect.get(message, field.oneof.localName) as { readonly value?: unknown };
  return chosen.value;
}
