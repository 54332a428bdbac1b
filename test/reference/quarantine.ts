import recorded from "../e2e/quarantine/recorded.json" with { type: "json" };
import type { RecordedOutcome } from "../e2e/quarantine/outcome.ts";
import { allStories, type Story, storyName } from "../e2e/quarantine/stories.ts";
import type { RecordedResults } from "../e2e/support/recorded-results.ts";
import { conditionsOf } from "./conditions.ts";
import { markdownTable } from "./table.ts";

/** By the name of a story. */
export const recordedStories: RecordedResults<RecordedOutcome> = recorded;
const unmeasured = "not measured";

/** docs/reference/quarantine.md */
export function quarantinePage(): string {
  const head = ["refused by Envoy", "protocol", "control plane", "objects", "probes", "seconds", "requests", "failed"];
  return `# Quarantine

\`npm run quarantine\` measures this table with real Envoys; \`RECORD=1\` records it. ${conditionsOf(recordedStories)}

A server has 5 000 hosts, with a VirtualService each. Gateways serve them, and a client sends 1 000 requests per second to hosts
that have nothing to do with the refused object. Then somebody spoils an object, which Envoy refuses. The table shows:

- *probes*: configurations that one gateway tried until the server had found the objects, at most 14 for each object;
- *seconds*: from the first rejection until all gateways served the next edit of another object, at most 2 on a
  machine without other work;
- *requests*, *failed*: from before the object was spoilt until its end. No request may fail.

In each row a gateway that starts afterwards serves all other hosts with its first answers, and a mended object reaches all
gateways. A server that is restarted in between makes no probe again.

${markdownTable(head, allStories.map(rowOf))}`;
}

function rowOf(story: Story): readonly string[] {
  const [name, mode, restart] = story;
  const known = recordedStories[storyName(...story)];
  const head = [name.replace(/,$/u, ""), mode === "sotw" ? "SotW" : mode, restart === "no restart" ? "stays" : restart];
  if (known === undefined) return [...head, unmeasured, "", "", "", ""];
  const { offenders, probes, seconds, requests, failed } = known;
  return [...head, String(offenders), String(probes), seconds.toFixed(2), String(requests), String(failed)];
}
