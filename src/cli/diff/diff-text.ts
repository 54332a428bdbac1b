import { counted } from "../../lib/counted.ts";
import { cutText } from "../../lib/cut-text.ts";
import { type Styled, stylesFor } from "../issues/excerpt-lines.ts";
import type { Difference, FieldChange } from "./difference.ts";

/** More fields of one thing are not worth a line each. JSON has all of them. */
const mostFields = 40;
const mostCharacters = 160;
const colours = { added: "green", removed: "red", changed: "yellow" } as const;

/** For people: a line per object or resource, then the changed fields before and after. */
export function differenceText({ operation, name, reference, fields }: Difference, coloured: boolean): string {
  const styled = stylesFor(coloured);
  const place = reference === "" ? "" : ` (${reference})`;
  const more = fields.length - mostFields;
  return [
    `${styled(colours[operation], operation.padEnd("removed".length))} ${name}${place}`,
    ...fields.slice(0, mostFields).flatMap((field) => fieldLines(field, styled)),
    ...(more > 0 ? [`  and ${counted(more, "more field")}`] : []),
  ].join("\n");
}

function fieldLines(field: FieldChange, styled: Styled): readonly string[] {
  return [
    ...("before" in field ? [styled("red", `  - ${field.path}: ${valueText(field.before)}`)] : []),
    ...("after" in field ? [styled("green", `  + ${field.path}: ${valueText(field.after)}`)] : []),
  ];
}

function valueText(value: unknown): string {
  return cutText(typeof value === "string" ? value : JSON.stringify(value), mostCharacters);
}

/** `2 added, 1 changed`, or `no difference`. */
export function differenceCount(differences: readonly Difference[]): string {
  const counts = (["added", "removed", "changed"] as const).flatMap((operation) => {
    const count = differences.filter((each) => each.operation === operation).length;
    return count === 0 ? [] : [`${count} ${operation}`];
  });
  return counts.length === 0 ? "no difference" : counts.join(", ");
}
