import type { JSX } from "preact";
import type { DeskEvent } from "../../../src/desk/api/model/events.ts";
import type { Overview as OverviewAnswer } from "../../../src/desk/api/model/overview.ts";
import { Link } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Bars } from "../../parts/meter.tsx";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Section } from "../../parts/table.tsx";
import { ChangeList } from "../changes/change-list.tsx";
import { merged } from "../changes/merged.ts";
import { Health } from "./health.tsx";
import { Issues, WorstIssues } from "./issues.tsx";
import { ProxyShares } from "./proxy-shares.tsx";
import { Sources } from "./sources.tsx";

const shownChanges = 10;

/** Is the mesh well, and what to do if it is not. */
export function Overview(): JSX.Element {
  const watched = useApi<OverviewAnswer>("/overview", afterEvent);
  return (
    <Page title="Overview">
      <WhenReady watched={watched}>
        {(overview) => (
          <>
            <Health overview={overview} />
            <div class="grid">
              <ProxyShares counts={overview.proxies} />
              <Issues counts={overview.issues} />
              <Section title="Pushes" aside={<span class="hint">last 30 minutes</span>}>
                <p class="figure">
                  {count(overview.pushes.lastMinute)} <span>in the last minute</span>
                </p>
                <Bars
                  values={overview.pushes.perMinute}
                  label={`Pushes per minute, ${counted(sum(overview.pushes.perMinute), "push", "pushes")} in 30 minutes`}
                />
              </Section>
            </div>
            <WorstIssues issues={overview.issues.worst} />
            {overview.sources !== undefined && <Sources sources={overview.sources} />}
            <Section title="Last changes" aside={<Link href="/changes">All changes</Link>}>
              {overview.changes.length === 0 ? (
                <Empty title="Nothing has changed since the server started.">
                  <p>Edit an object: its way to the proxies appears here.</p>
                </Empty>
              ) : (
                <ChangeList changes={overview.changes} />
              )}
            </Section>
          </>
        )}
      </WhenReady>
    </Page>
  );
}

function afterEvent(event: DeskEvent, value: OverviewAnswer): OverviewAnswer | undefined {
  switch (event.type) {
    case "overview":
      return { ...event.overview, changes: value.changes };
    case "changes":
      return { ...value, changes: merged(value.changes, event.changes).slice(0, shownChanges) };
    case "reset":
    case "proxies":
    case "rollouts":
    case "configuration":
    default:
      return undefined;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
