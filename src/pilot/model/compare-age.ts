import { compareTexts } from "../../lib/compare.ts";

interface Dated {
  readonly createdAt: number;
  readonly name: string;
  readonly namespace: string;
}

/** Oldest first; ties by name, then namespace. Decides every conflict between objects of one kind. */
export function compareAge(a: Dated, b: Dated): number {
  return a.createdAt - b.createdAt || compareTexts(a.name, b.name) || compareTexts(a.namespace, b.namespace);
}
