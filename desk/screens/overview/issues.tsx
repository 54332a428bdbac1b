import type { JSX } from "preact";
import type { IssueCounts } from "../../../src/desk/api/model/overview.ts";
import { Link } from "../../app/router.tsx";
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
  return (
    <Section
      title="Configuration"
      aside={
        counts.pending ? <span class="hint">analysis is running</span> : <Link href="/configuration">All objects</Link>
      }
    >
      <p class="figure">
        {count(counts.errors + counts.warnings + counts.infos)} <span>issues</span>
      </p>
      <ul class="counts">
        {rows.map(([severity, tone, value, word]) => (
          <li key={severity}>
            <Link href={`/configuration?severity=${severity}`}>
              <Status tone={value === 0 ? "off" : tone}>
                <b>{count(value)}</b> {word}
              </Status>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
