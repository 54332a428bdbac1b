import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Config } from "../config.ts";
import type { PathStep } from "../field-path.ts";
import type { Leaf, WrittenObject } from "./written-object.ts";

/**
 * The numbers in the objects of a mesh. Objects refer to each other by some of them: a port that became an existing one
 * would take its place.
 */
export function numbersIn(objects: readonly Config[]): ReadonlySet<number> {
  return new Set(objects.flatMap(({ spec, labels, annotations }) => [...numbersOf([spec, labels, annotations])]));
}

function* numbersOf(value: unknown): Iterable<number> {
  if (typeof value === "number") yield value;
  else if (typeof value === "string" && number.test(value)) yield Number(value);
  else if (typeof value === "bigint") yield Number(value);
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const part of Object.values(value)) yield* numbersOf(part);
  }
}

/**
 * Other values that could stand in this place, the likeliest first. They are new to the mesh, so that they match nothing
 * that the first value did not match. Not all of them are valid. The last one is the absence of the value.
 * @param known the numbers in the mesh
 */
export function otherValues(
  { kind }: WrittenObject,
  { steps, value }: Leaf,
  known: ReadonlySet<number>,
): readonly (Leaf["value"] | undefined)[] {
  if (typeof value === "boolean") return [!value, undefined];
  if (typeof value === "number") return [...otherNumbers(value, known), undefined];
  const named = enumNames(kind.schema, kind.body === "object" ? steps : steps.slice(1)).filter(
    (name) => name !== value,
  );
  return [...named, ...otherTexts(value, known), undefined];
}

const duration = /^(?<amount>\d+)(?<unit>(?:\.\d+)?(?:ms|s|m|h))$/u;
const address = /^(?<network>\d+\.\d+\.\d+)\.(?<host>\d+)(?<mask>\/\d+)?$/u;
const number = /^\d+$/u;
/** Protocols are texts, and not an enum. */
const protocol = /^(?:HTTP|HTTPS|HTTP2|GRPC|GRPC-WEB|TCP|TLS|MONGO|UDP)$/u;

/** The nearest numbers above and below that are not in the mesh. */
function otherNumbers(value: number, known: ReadonlySet<number>): readonly number[] {
  return [1, -1].flatMap((step) => {
    // The last one is new, unless the value is so large that a step does not change it.
    for (let steps = 1; steps <= known.size + 1; steps++) {
      const other = value + step * steps;
      if (step < 0 && other < 0) break;
      if (!known.has(other)) return [other];
    }
    return [];
  });
}

function otherTexts(value: string, known: ReadonlySet<number>): readonly string[] {
  const { amount, unit } = duration.exec(value)?.groups ?? {};
  if (amount !== undefined) return [`${Number(amount) + 1}${unit}`];
  if (number.test(value)) return otherNumbers(Number(value), known).map(String);
  const { network, host, mask = "" } = address.exec(value)?.groups ?? {};
  if (network !== undefined) return [`${network}.${(Number(host) + 101) % 251}${mask}`, `198.51.100.7${mask}`];
  if (value === "*" || value === "." || value === "~") return ["unused-name", "./unused-name", "unused.example"];
  if (value.startsWith("*.")) return [`*.unused-${value.slice(2)}`];
  if (value.startsWith("/")) return [`/unused${value}`, `${value}-unused`];
  if (protocol.test(value)) return ["TCP", "HTTP", "TLS"].filter((other) => other !== value);
  return [`unused-${value}`, `${value}-unused`, `${value}x`];
}

/** The values of the enum at this path of a message; empty if there is none. */
function enumNames(schema: DescMessage, steps: readonly PathStep[]): readonly string[] {
  let message: DescMessage | undefined = schema;
  let field: DescField | undefined;
  for (const step of steps) {
    // An index of a list, or a key of a map, stays in the field.
    if (typeof step === "number" || message === undefined) continue;
    field = message.fields.find(({ jsonName, name }) => jsonName === step || name === step);
    if (field === undefined) return [];
    message = field.fieldKind === "map" ? undefined : field.message;
  }
  return field?.enum?.values.map(({ name }) => name) ?? [];
}
