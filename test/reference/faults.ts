import { faultRows } from "../e2e/faults/fault-rows.ts";
import type { RecordedFault } from "../e2e/faults/fault-table.ts";
import recorded from "../e2e/faults/recorded.json" with { type: "json" };
import type { RecordedResults } from "../e2e/support/recorded-results.ts";
import { conditionsOf } from "./conditions.ts";
import { markdownTable } from "./table.ts";

/** By the name of a fault. */
export const recordedFaults: RecordedResults<RecordedFault> = recorded;

/** docs/reference/faults.md */
export function faultsPage(): string {
  const rows = faultRows.map(({ name, effect, bound }) => [name, effect, `${bound.seconds} s`, ...measured(name)]);
  return `# Faults

\`npm run faults\` runs this table against a real server with recording clients, sidecars and gateways in SotW and in delta.
It measures the time from the end of each fault until every client holds the newest state. The bound is for a machine with
two free cores. \`RECORD=1\` records the time, and how many resources were lost: a client lacked them, or held them in an old
version. ${conditionsOf(recordedFaults)}

After each fault the clients hold exactly the resources that a fresh server gives. During each fault no client may:

- apply an older state after a newer one;
- lose all resources of a type, all endpoints of a service, or a resource that no edit touched;
- hold an inbound listener without the policies of the state before or after the edit;
- receive a response without new content, or a reference to a cluster that it does not hold.

${markdownTable(["fault", "behaviour", "bound", "measured", "lost"], rows)}
## Floods

\`npm run bench -- fairness\` measures the time from an edit of an endpoint in a file to the ACK of its proxy, once a second for
20 s, while others flood the server. Both namespaces are in one directory. On two cores with other load:

| beside | p50 | longest |
| --- | --- | --- |
| nothing | 53 ms | 108 ms |
| another namespace with 1 000 edits per second, in 100 files | 269 ms | 632 ms |
| another peer that opens and closes 16 streams at a time, without a pause | 296 ms | 470 ms |

A directory waits for up to 500 ms while its files change. That is most of the second row.
`;
}

function measured(name: string): readonly string[] {
  const known = recordedFaults[name];
  if (known === undefined) return ["not measured", ""];
  const figure = known.figure === undefined ? "" : ` (${known.figure})`;
  return [`${known.seconds.toFixed(2)} s${figure}`, String(known.lost)];
}
