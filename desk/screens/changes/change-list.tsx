import type { JSX } from "preact";
import type { ChangeSummary } from "../../../src/desk/api/model/changes.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Reference } from "../../parts/object.tsx";
import { counted, duration } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { isMoving, sharesOf, stateWords } from "./change-words.ts";

/** Changes, the newest first. Each leads to its story. */
export function ChangeList({ changes }: { readonly changes: readonly ChangeSummary[] }): JSX.Element {
  return (
    <ol class="changes">
      {changes.map((change) => (
        <li key={change.id} class={isMoving(change.state) ? "moving" : ""}>
          <ChangeRow change={change} />
        </li>
      ))}
    </ol>
  );
}

function ChangeRow({ change }: { readonly change: ChangeSummary }): JSX.Element {
  const [tone, words] = stateWords(change);
  const { delivery } = change;
  const reference = change.objects.items[0]?.reference;
  return (
    <>
      <div class="change-what">
        <Link href={pathTo("changes", change.id)}>{titleOf(change)}</Link>
        <span class="hint">
          <Moment at={change.at} />
          {reference !== undefined && (
            <>
              {" · "}
              <Reference at={reference} />
            </>
          )}
        </span>
      </div>
      <div class="change-how">
        <Status tone={tone}>{words}</Status>
        {delivery !== undefined && delivery.sent > 0 && <Meter shares={sharesOf(delivery)} label="Delivery" />}
        {delivery?.latency !== undefined && (
          <span class="hint" title="From the commit to the acknowledgement: half of the proxies, and 99 of 100">
            p50 {duration(delivery.latency.p50)} · p99 {duration(delivery.latency.p99)}
          </span>
        )}
      </div>
    </>
  );
}

/** `VirtualService shop/reviews updated, and 2 more objects`. */
export function titleOf({ objects: { items, total }, endpointsOnly }: ChangeSummary): string {
  const [first] = items;
  if (first === undefined) return endpointsOnly ? "Endpoints changed" : "Settings of the mesh changed";
  const { kind, namespace, name, operation } = first;
  const place = namespace === "" ? name : `${namespace}/${name}`;
  const rest = total > 1 ? `, and ${counted(total - 1, "more object", "more objects")}` : "";
  return `${kind} ${place} ${operation}${rest}`;
}
