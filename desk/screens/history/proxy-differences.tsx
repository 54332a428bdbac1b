import type { JSX } from "preact";
import type { HistoryProxies, HistoryProxy, HistoryProxyDiff } from "../../../src/desk/api/model/history.ts";
import { pathTo, setQuery, withQuery } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { ValueDiffs } from "../../parts/value-diffs.tsx";
import type { ChosenMoments } from "./moment-fields.tsx";

export interface ProxyDifferencesProps {
  readonly chosen: ChosenMoments;
  /** Empty if none is chosen. */
  readonly node: string;
}

/** The proxies of the later moment, and what differs for one of them. */
export function ProxyDifferences({ chosen, node }: ProxyDifferencesProps): JSX.Element {
  const watched = useApi<HistoryProxies>(withQuery("/history/proxies", { at: chosen.to }));
  return (
    <Section title="Proxies">
      <WhenReady watched={watched}>
        {({ proxies: { items, total } }) =>
          total === 0 ? (
            <Empty title="No proxy was connected at the later moment." />
          ) : (
            <div class="stack">
              <ProxyField proxies={items} node={node} />
              <Behind proxies={items} />
              {node !== "" && <Resources chosen={chosen} node={node} />}
            </div>
          )
        }
      </WhenReady>
    </Section>
  );
}

function ProxyField({
  proxies,
  node,
}: {
  readonly proxies: readonly HistoryProxy[];
  readonly node: string;
}): JSX.Element {
  const isListed = node === "" || proxies.some((each) => each.node === node);
  return (
    <label class="field grow">
      What differs for a proxy
      <select value={node} onChange={({ currentTarget }) => setQuery({ node: currentTarget.value })}>
        <option value="">choose a proxy</option>
        {proxies.map((each) => (
          <option key={each.node} value={each.node}>
            {each.name}
            {each.behind.length > 0 ? " (behind)" : ""}
          </option>
        ))}
        {!isListed && <option value={node}>{node}</option>}
      </select>
    </label>
  );
}

/** Proxies that had not accepted the later moment. */
function Behind({ proxies }: { readonly proxies: readonly HistoryProxy[] }): JSX.Element {
  const behind = proxies.filter((each) => each.behind.length > 0);
  if (behind.length === 0) return <Status tone="ok">All proxies had accepted it.</Status>;
  return (
    <ul class="plain">
      {behind.slice(0, shownBehind).map(({ node, name, behind: lags }) => (
        <li key={node}>
          <Status tone={lags.some(({ why }) => why === "rejected") ? "error" : "warning"}>{name}</Status>{" "}
          <span class="hint">
            {lags.map(({ type, accepted, why }) => `${type} ${why} at moment ${accepted}`).join(", ")}
          </span>
        </li>
      ))}
      {behind.length > shownBehind && <li class="hint">and {count(behind.length - shownBehind)} more</li>}
    </ul>
  );
}

const shownBehind = 10;

function Resources({ chosen, node }: ProxyDifferencesProps): JSX.Element {
  const watched = useApi<HistoryProxyDiff>(withQuery(`/history${pathTo("proxies", node, "diff")}`, { ...chosen }));
  return (
    <WhenReady watched={watched}>
      {({ resources: { items, total } }) => (
        <div class="stack" role="status">
          {total === 0 && <Status tone="ok">Both moments have the same resources for this proxy.</Status>}
          <ul class="plain">
            {items.map(({ type, name, operation, differences }) => (
              <li key={`${type} ${name}`}>
                <details open={items.length < 4}>
                  <summary>
                    {type} <code>{name}</code> {operation}
                  </summary>
                  {operation === "updated" && <ValueDiffs differences={differences} here="from" there="to" />}
                </details>
              </li>
            ))}
          </ul>
          {total > items.length && <p class="hint">and {count(total - items.length)} more</p>}
        </div>
      )}
    </WhenReady>
  );
}
