import { GrowingTable } from "./growing-table.ts";

/** Columns as wide as their content, three spaces apart, without spaces at the end of a line. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return new GrowingTable().add(head, rows).join("\n");
}
