import type { JSX } from "preact";
import type { WorstIssue } from "../../../src/desk/api/model/issue.ts";
import type { IssueCounts } from "../../../src/desk/api/model/overview.ts";
import { Link } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { ObjectName, Reference } from "../../parts/object.tsx";
import { count } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";

/** Issues of the configuration by severity. */
export function Issues({ counts }: { readonly counts: IssueCounts }): JSX.Element {
  const rows: readonly (readonly [string, Tone, number, string])[] = [
    ["error", "error", counts.errors, counts.errors === 1 ? "error" : "errors"],
    ["warning", "warning", counts.warnings, counts.warnings === 1 ? "warning" : "warnings"],
    ["info", "info", counts.infos, counts.infos === 1 ? "note" : "notes"],
  ];
  const hasList = useOffer("/configuration");
  const total = counts.errors + counts.warnings + counts.infos;
  return (
    <Section
      title="Configuration"
      aside={
        counts.pending ? (
          <span class="hint">analysis is running</span>
        ) : (
          hasList && <Link href="/configuration">All objects</Link>
        )
      }
    >
      <p class="figure">
        {count(total)} <span>{total === 1 ? "issue" : "issues"}</span>
      </p>
      <ul class="counts">
        {rows.map(([severity, tone, value, word]) => {
          const shown = (
            <Status tone={value === 0 ? "off" : tone}>
              <b>{count(value)}</b> {word}
            </Status>
          );
          const href = `/configuration?severity=${severity}`;
          return <li key={severity}>{hasList ? <Link href={href}>{shown}</Link> : shown}</li>;
        })}
      </ul>
    </Section>
  );
}

/** The worst issues, each with the line that causes it. */
export function WorstIssues({ issues }: { readonly issues: readonly WorstIssue[] }): JSX.Element | null {
  const urgent = issues.filter(({ severity }) => severity !== "info");
  if (urgent.length === 0) return null;
  return (
    <Section title="Issues">
      <ul class="issues">
        {urgent.map(({ severity, code, text, reference, object }) => (
          <li key={`${code} ${reference} ${text}`}>
            <Status tone={severity}>{text}</Status>
            <p class="hint">
              {object !== undefined && (
                <ObjectName object={{ ...object, ...(reference !== undefined && { reference }) }} />
              )}
              {object === undefined && reference !== undefined && <Reference at={reference} />} <code>{code}</code>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
