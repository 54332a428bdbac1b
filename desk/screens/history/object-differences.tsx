import type { JSX } from "preact";
import type { HistoryDiff, HistoryObjectDiff } from "../../../src/desk/api/model/history.ts";
import { withQuery } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { ValueDiffs } from "../../parts/value-diffs.tsx";
import type { ChosenMoments } from "./moment-fields.tsx";

/** The objects that differ between two moments. */
export function ObjectDifferences({ chosen }: { readonly chosen: ChosenMoments }): JSX.Element {
  const watched = useApi<HistoryDiff>(withQuery("/history/diff", { ...chosen }));
  return (
    <Section title="Objects">
      <WhenReady watched={watched}>
        {({ objects: { items, total } }) => (
          <div class="stack" role="status">
            {total === 0 && (
              <p>
                <Status tone="ok">Both moments have the same objects.</Status>
              </p>
            )}
            <ul class="plain">
              {items.map((each) => (
                <li key={each.object.id}>
                  <Different diff={each} />
                </li>
              ))}
            </ul>
            {total > items.length && <p class="hint">and {count(total - items.length)} more</p>}
          </div>
        )}
      </WhenReady>
    </Section>
  );
}

const operations = { added: "+ added", updated: "± updated", removed: "− removed" } as const;

function Different({ diff: { object, differences } }: { readonly diff: HistoryObjectDiff }): JSX.Element {
  const { operation } = object;
  return (
    <>
      <p>
        <span class={`operation ${operation}`}>{operations[operation]}</span> <ObjectName object={object} />
      </p>
      {operation === "updated" && differences.total === 0 && (
        <p class="hint">The history does not have the parts that differ: they may be secret.</p>
      )}
      {operation === "updated" && <ValueDiffs differences={differences} here="from" there="to" />}
    </>
  );
}
