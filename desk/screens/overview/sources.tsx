import type { JSX } from "preact";
import type { SourceState } from "../../../src/desk/api/model/overview.ts";
import { Moment } from "../../parts/moment.tsx";
import { count } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";

const words: Readonly<Record<SourceState["state"], readonly [Tone, string]>> = {
  synced: ["ok", "synced"],
  syncing: ["wait", "syncing"],
  stale: ["warning", "stale"],
  stopped: ["off", "stopped"],
};

const columns = [
  { title: "Source" },
  { title: "State" },
  { title: "Objects", kind: "number" },
  { title: "Issues", kind: "wide number" },
  { title: "Hidden by earlier sources", kind: "wide number" },
  { title: "Last heard", kind: "wide" },
] as const;

/** The sources in the order of precedence. */
export function Sources({ sources }: { readonly sources: readonly SourceState[] }): JSX.Element {
  return (
    <Section title="Sources">
      <Table label="Sources of the configuration" columns={columns}>
        {sources.map((source) => (
          <tr key={source.name}>
            <th scope="row">
              <code>{source.name}</code>
            </th>
            <td>
              <State source={source} />
            </td>
            <td class="number">{count(source.objects)}</td>
            <td class="wide number">{count(source.issues)}</td>
            <td class="wide number">{count(source.lost)}</td>
            <td class="wide">{source.lastHeard === undefined ? "–" : <Moment at={source.lastHeard} />}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function State({ source: { state, reason, staleSince } }: { readonly source: SourceState }): JSX.Element {
  const [tone, word] = words[state];
  return (
    <>
      <Status tone={tone}>{word}</Status>
      {(reason !== undefined || staleSince !== undefined) && (
        <p class="hint">
          {reason} {staleSince !== undefined && <Moment at={staleSince} />}
        </p>
      )}
    </>
  );
}
