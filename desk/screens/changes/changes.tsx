import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChangeSummary } from "../../../src/desk/api/model/changes.ts";
import type { DeskEvent } from "../../../src/desk/api/model/events.ts";
import type { Listing } from "../../../src/desk/api/model/listing.ts";
import { useApi } from "../../app/use-api.ts";
import type { ViewProps } from "../../app/view.ts";
import { apiParameters, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { counted } from "../../parts/quantity.ts";
import { ChangeList } from "./change-list.tsx";
import { ChangeStory } from "./change-story.tsx";
import { merged } from "./merged.ts";
import { Rollouts } from "./rollouts.tsx";

/** The timeline, or the story of one change. */
export function Changes({ path: [id], query }: ViewProps): JSX.Element {
  return id === undefined ? <Timeline query={query} /> : <ChangeStory id={id} />;
}

const firstRows = 50;
/** The server remembers no more. */
const mostRows = 500;

function Timeline({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const [rows, setRows] = useState(firstRows);
  const searched = apiParameters(query, ["search"]);
  const react = (event: DeskEvent, value: Listing<ChangeSummary>) => {
    if (event.type !== "changes") return undefined;
    // The server knows which changes match.
    if (searched !== "") return "refetch";
    const items = merged(value.items, event.changes);
    const total = Math.min(mostRows, value.total + items.length - value.items.length);
    return { ...value, items: items.slice(0, rows), total };
  };
  const watched = useApi<Listing<ChangeSummary>>(`/changes?limit=${rows}${searched}`, react);
  return (
    <Page title="Changes">
      <Rollouts />
      <FilterBar>
        <SearchField query={query} label="Search objects" />
      </FilterBar>
      <WhenReady watched={watched}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Nothing searched={searched !== ""} />
          ) : (
            <section class="card" aria-label="Timeline">
              <p class="hint">{counted(total, "change", "changes")}, the newest first</p>
              <ChangeList changes={items} />
              {items.length < Math.min(total, mostRows) && (
                <button type="button" onClick={() => setRows(rows + firstRows)}>
                  Show older changes
                </button>
              )}
            </section>
          )
        }
      </WhenReady>
    </Page>
  );
}

function Nothing({ searched }: { readonly searched: boolean }): JSX.Element {
  if (searched) return <Empty title="No change matches this search." />;
  return (
    <Empty title="Nothing has changed since the server started.">
      <p>Edit an object in one of the sources. Its way to the proxies appears here while it happens.</p>
    </Empty>
  );
}
