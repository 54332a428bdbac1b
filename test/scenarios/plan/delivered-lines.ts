import type { Delivery } from "../../../src/plan/plan.ts";
import { envoyResourceTypes } from "../../../src/xds/resource-type.ts";
import { linesOf } from "./wire-record.ts";

const shortNames = new Map(envoyResourceTypes.map(({ typeUrl, shortName }) => [typeUrl, shortName]));

/** Streams of one node and protocol get the same, so a list by node and protocol tells all. */
export function observedLines(
  nodes: readonly { readonly nodeId: string; readonly mode: string }[],
  seen: readonly (readonly string[])[],
): readonly string[] {
  return seen
    .flatMap((lines, index) => {
      const { nodeId, mode } = nodes[index] ?? { nodeId: "", mode: "" };
      return lines.length === 0 ? [] : [`${nodeId} ${mode}\n${lines.map(shortened).join("\n")}`];
    })
    .toSorted();
}

function shortened(line: string): string {
  const [typeUrl = ""] = line.split(": ", 1);
  return `${shortNames.get(typeUrl)}${line.slice(typeUrl.length)}`;
}

export function predictedLines(deliveries: readonly Delivery[]): readonly string[] {
  return deliveries
    .flatMap(({ proxies, mode, types }) => {
      const lines = linesOf(
        new Map(
          types.map(({ type, changes, ...sent }) => {
            return [type, { ...sent, changes: changes.map((each) => `${each.operation} ${each.name} ${each.bytes}`) }];
          }),
        ),
      );
      return proxies.map((node) => `${node} ${mode}\n${lines.toSorted().join("\n")}`);
    })
    .toSorted();
}
