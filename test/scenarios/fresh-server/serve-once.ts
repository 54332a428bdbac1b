/** A process that serves the objects on its standard input once, to each client alone, and says what they got. */
import { text } from "node:stream/consumers";
import { contentsAlone } from "./contents-alone.ts";
import type { NodeFacts } from "./nodes.ts";

const { objects, nodes } = JSON.parse(await text(process.stdin)) as {
  readonly objects: string;
  readonly nodes: readonly NodeFacts[];
};
process.stdout.write(JSON.stringify(await contentsAlone(objects, nodes)));
