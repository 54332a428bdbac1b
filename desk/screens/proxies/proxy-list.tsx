import type { JSX } from "preact";
import type { ProxyListing, ProxySummary } from "../../../src/desk/api/model/proxies.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, FacetField, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { proxyStates, syncTones } from "./proxy-state.ts";

const filters = ["search", "state", "namespace", "type", "version"];
const columns = [
  { title: "Proxy" },
  { title: "State" },
  { title: "Types", kind: "wide" },
  { title: "Kind", kind: "wide" },
  { title: "Version", kind: "wide" },
  { title: "Connected", kind: "wide" },
] as const;

/** Every connected proxy that the viewer may see. The server searches and filters. */
export function ProxyList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const parameters = apiParameters(query, filters);
  const { first, items, total, loading, failure, retry, show } = usePages<ProxyListing>(
    "/proxies",
    parameters,
    (type) => type === "proxies",
  );
  const facets = first?.facets;
  return (
    <Page title="Proxies">
      <FilterBar>
        <SearchField query={query} label="Search by name, node or address" />
        <FacetField query={query} name="state" label="State" facets={facets?.state ?? []} wordFor={wordFor} />
        <FacetField query={query} name="namespace" label="Namespace" facets={facets?.namespace ?? []} />
        <FacetField query={query} name="type" label="Kind" facets={facets?.type ?? []} />
        <FacetField query={query} name="version" label="Version" facets={facets?.version ?? []} />
      </FilterBar>
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {loading && <p class="loading">Loading …</p>}
      {!loading && failure === undefined && total === 0 && <Nobody filtered={parameters !== ""} />}
      {items.length > 0 && (
        <section class="card" aria-label="Proxies">
          <p class="hint" role="status">
            {counted(total, "proxy", "proxies")}
          </p>
          <VirtualTable
            label="Connected proxies"
            columns={columns}
            items={items}
            total={total}
            keyOf={({ node }) => node}
            row={(proxy) => <Row proxy={proxy} />}
            onRange={show}
          />
        </section>
      )}
    </Page>
  );
}

function wordFor(value: string): string {
  return proxyStates.find(({ state }) => state === value)?.word ?? value;
}

function Row({ proxy }: { readonly proxy: ProxySummary }): JSX.Element {
  return (
    <>
      <th scope="row">
        <Link href={pathTo("proxies", proxy.node)} title={proxy.node}>
          {proxy.name}
        </Link>
      </th>
      <td>
        <ProxyStatus proxy={proxy} />
      </td>
      <td class="wide">
        <ul class="types">
          {proxy.types.map(({ type, status }) => (
            <li key={type}>
              <Status tone={syncTones[status]} title={`${type}: ${status}`}>
                {type}
                {status !== "SYNCED" && ` ${status.toLowerCase()}`}
              </Status>
            </li>
          ))}
        </ul>
      </td>
      <td class="wide">{proxy.type}</td>
      <td class="wide">{proxy.version || "–"}</td>
      <td class="wide">
        <Moment at={proxy.connectedAt} />
      </td>
    </>
  );
}

export function ProxyStatus({ proxy: { state } }: { readonly proxy: ProxySummary }): JSX.Element {
  const found = proxyStates.find((each) => each.state === state);
  return <Status tone={found?.tone ?? "off"}>{found?.word ?? state}</Status>;
}

function Nobody({ filtered }: { readonly filtered: boolean }): JSX.Element {
  if (filtered)
    return (
      <Empty title="No proxy matches these filters.">
        <p>
          <Link href="/proxies">Show all proxies</Link>
        </p>
      </Empty>
    );
  return (
    <Empty title="No proxy is connected.">
      <p>
        Write a bootstrap for an Envoy with <code>binnacle bootstrap envoy --node NODE</code>, or connect virtual
        proxies with <code>binnacle fleet</code>.
      </p>
    </Empty>
  );
}
