import { join } from "node:path";
import type { DemoProblem } from "../observed/demo-problem.ts";
import type { PushEvent } from "../observed/event-log.ts";

/** The first instructions for a new user. */
export function instructions(directory: string): readonly string[] {
  return [
    `Open ${join(directory, "reviews.yaml")}, change weight: 80 to weight: 20, and save.`,
    "The bars follow. Then write weight: lots and see the error; traffic goes on.",
  ];
}

/** The next steps for a user who ends the demo. */
export function farewell(directory: string): string {
  return `The example tells more: ${join(directory, "README.md")}\nTo undo your edits: git checkout ${directory}`;
}

const contents: ReadonlyMap<string, string> = new Map([
  ["CDS", "clusters"],
  ["EDS", "endpoints"],
  ["LDS", "listeners"],
  ["RDS", "routes"],
]);

/** The content, the clients and the cause of a push: each a few words, for columns or a sentence. */
export function pushWords(push: PushEvent) {
  const { resourceType, bytes, clients } = push;
  return {
    what: `${resourceType} ${contents.get(resourceType) ?? ""}`.trimEnd(),
    size: `${bytes} bytes`,
    whom: clients.length === 1 ? clients.join() : `${clients.length} clients`,
    why: causeText(push),
  };
}

/** An edit older than this is not the cause of a push. */
const longestSaveMs = 10_000;

function causeText({ causes, clients, sinceSaveMs }: PushEvent): string {
  if (causes.includes("request")) return clients.length === 1 ? "it asked" : "they asked";
  const cause = causes.join("+");
  if (sinceSaveMs === undefined || sinceSaveMs > longestSaveMs) return cause;
  return `${cause}, ${Math.round(sinceSaveMs)} ms after save`;
}

/** `examples/bookinfo/reviews.yaml:20:11`. Empty when the problem has no place. */
export function problemPlace({ issue: { place } }: DemoProblem): string {
  return place === undefined ? "" : `${place.file}:${place.line}:${place.column}`;
}
