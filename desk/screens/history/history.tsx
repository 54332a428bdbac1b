import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HistoryListing } from "../../../src/desk/api/model/history.ts";
import { useApi } from "../../app/use-api.ts";
import type { ViewProps } from "../../app/view.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/table.tsx";
import { type ChosenMoments, MomentFields } from "./moment-fields.tsx";
import { MomentList } from "./moment-list.tsx";
import { ObjectDifferences } from "./object-differences.tsx";
import { ProxyDifferences } from "./proxy-differences.tsx";
import { Restore } from "./restore.tsx";

const firstRows = 50;
/** One request gets no more. Older moments are shown by the command. */
const mostRows = 200;

/** The changes that the history keeps, and the difference between two of its moments. */
export function History({ query }: ViewProps): JSX.Element {
  const [rows, setRows] = useState(firstRows);
  const watched = useApi<HistoryListing>(`/history?limit=${rows}`, ({ type }) =>
    type === "changes" ? "refetch" : undefined,
  );
  const chosen: ChosenMoments = { from: query.get("from") ?? "", to: query.get("to") ?? "" };
  const hasBoth = chosen.from !== "" && chosen.to !== "";
  return (
    <Page title="History">
      <WhenReady watched={watched}>
        {(listing) =>
          listing.kept ? (
            <>
              <MomentFields moments={listing.items} chosen={chosen} />
              {hasBoth && <ObjectDifferences chosen={chosen} />}
              {hasBoth && <ProxyDifferences chosen={chosen} node={query.get("node") ?? ""} />}
              {chosen.from !== "" && <Restore moment={chosen.from} directory={listing.directory} />}
              <Section title="Timeline">
                <MomentList moments={listing.items} chosen={chosen} />
                {listing.next !== undefined && rows < mostRows && (
                  <button type="button" onClick={() => setRows(Math.min(mostRows, rows + firstRows))}>
                    Show older moments
                  </button>
                )}
              </Section>
            </>
          ) : (
            <NotKept />
          )
        }
      </WhenReady>
    </Page>
  );
}

function NotKept(): JSX.Element {
  return (
    <Empty title="This server keeps no history.">
      <p>
        Start it with <code>--history DIR</code>. It then logs each change of the configuration, without secrets, and
        this page compares any two moments.
      </p>
    </Empty>
  );
}
