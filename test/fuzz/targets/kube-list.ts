import { listPages } from "../../../src/kube/list.ts";
import { clientOf, policies } from "../kube-under-test.ts";
import { orRefusedLater, promise } from "../oracle.ts";
import { stateOf } from "../received-state.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

/** Lists of a Kubernetes API server, one page per line. A list that fails changes nothing. */
export const target: FuzzTarget = {
  name: "kube-list",
  mode: "async",
  words: [
    ...inheritedNames,
    '"metadata":{"resourceVersion":"1","continue":"',
    '"items":[',
    '"spec":{"action":"DENY"}',
    "\n",
  ],
  planted: {
    file: "src/galley/source/kube/read-object.ts",
    before: "  const fields = trimmed(object, kind);",
    text: "JSON.stringify(object)",
  },
  check: async (input) => {
    const client = clientOf(linesOf(input));
    const { heard, content } = policies();
    const before = stateOf(heard);
    const isComplete = await orRefusedLater(() => readAll(client, content));
    if (isComplete !== true) return promise(stateOf(heard) === before, "a list that fails changes nothing");
    const known = stateOf(heard);
    const again = await orRefusedLater(() => readAll(clientOf(linesOf(input)), content));
    promise(again === true && stateOf(heard) === known, "the same list again changes nothing");
    content.clear();
    promise(heard.state.size === 0 && heard.issues.size === 0, "nothing is left of an empty list");
  },
};

async function readAll(client: Parameters<typeof listPages>[0], content: ReturnType<typeof policies>["content"]) {
  const pass = content.begin();
  const { signal } = new AbortController();
  for await (const { items, resourceVersion } of listPages(client, { path: "/policies", signal }, 10)) {
    promise(typeof resourceVersion === "string", "a page has a version");
    await pass.take(items.map((object) => ({ type: "ADDED", object })));
  }
  pass.end();
  return true;
}

function linesOf(input: Buffer): readonly Buffer[] {
  return input
    .toString("latin1")
    .split("\n")
    .map((line) => Buffer.from(line, "latin1"));
}
