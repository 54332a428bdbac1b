import type { ComponentChildren, JSX } from "preact";
import type { ProxyDetail } from "../../../src/desk/api/model/proxies.ts";
import { Link, pathTo, withQuery } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Moment } from "../../parts/moment.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { counted } from "../../parts/quantity.ts";
import { Facts, Section } from "../../parts/table.tsx";
import { Compare } from "./compare.tsx";
import { ProxyStatus } from "./proxy-list.tsx";
import { Refused } from "./refused.tsx";
import { Resources } from "./resources.tsx";
import { Scope } from "./scope.tsx";
import { SyncTable } from "./sync-table.tsx";

const parent = { href: "/proxies", title: "Proxies" };

export interface ProxyPageProps {
  readonly node: string;
  readonly query: URLSearchParams;
}

/** One proxy: has it what it should have, and if not, why. */
export function ProxyPage({ node, query }: ProxyPageProps): JSX.Element {
  const watched = useApi<ProxyDetail>(pathTo("proxies", node), ({ type }) =>
    type === "proxies" || type === "changes" ? "refetch" : undefined,
  );
  const hasResources = useOffer("/proxies/NODE/resources");
  const mayExplain = useOffer("/explain");
  const hasDiff = useOffer("/proxies/NODE/diff");
  const title = watched.loaded.type === "ready" ? watched.loaded.value.name : node;
  return (
    <Page title={title} parent={parent}>
      <WhenReady watched={watched}>
        {(proxy) => (
          <>
            <p class="lead" role="status">
              <ProxyStatus proxy={proxy} />
            </p>
            {mayExplain && (
              <p>
                <Link href={withQuery("/explain", { node })}>Explain a request at this proxy</Link>
              </p>
            )}
            <Refused proxy={proxy} />
            <Section title="Sync" aside={<span class="hint">{modes[proxy.mode]}</span>}>
              <SyncTable sync={proxy.sync} />
              <Unacknowledged proxy={proxy} />
            </Section>
            <div class="grid two">
              <About proxy={proxy} />
              <Scope proxy={proxy} />
            </div>
            {hasResources && <Resources node={node} query={query} />}
            {hasDiff && <Compare node={node} query={query} />}
          </>
        )}
      </WhenReady>
    </Page>
  );
}

const modes: Readonly<Record<ProxyDetail["mode"], string>> = {
  sotw: "state of the world",
  delta: "incremental (delta)",
};

function Unacknowledged({ proxy: { behind } }: { readonly proxy: ProxyDetail }): JSX.Element | null {
  if (behind.total === 0) return null;
  return (
    <p>
      {counted(behind.total, "change is", "changes are")} not acknowledged:{" "}
      {behind.items.map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Link href={pathTo("changes", id)}>{id}</Link>
        </span>
      ))}
    </p>
  );
}

function About({ proxy }: { readonly proxy: ProxyDetail }): JSX.Element {
  const labels = Object.entries(proxy.labels).map(([name, value]) => `${name}=${value}`);
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["Node", <code key="node">{proxy.node}</code>],
    ["Kind", proxy.type],
    ["Envoy", proxy.version],
    ["Connected", <Moment key="at" at={proxy.connectedAt} />],
    ["Connected from", proxy.address],
    ["Addresses", proxy.addresses.join(", ")],
    ["Workload", proxy.workload],
    ["Service account", proxy.serviceAccount],
    ["Identity", proxy.identity ?? "not authenticated"],
    ["Cluster", proxy.cluster],
    ["Network", proxy.network],
    ["Locality", proxy.locality],
    ["Labels", labels.join(", ")],
  ];
  return (
    <Section title="About">
      <Facts facts={facts.filter(([, value]) => value !== "")} />
    </Section>
  );
}
