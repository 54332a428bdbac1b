import type { JSX } from "preact";
import type { ServiceHealth, ServiceListing, ServiceSummary } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, FacetField, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { MeshPage } from "./mesh-page.tsx";

const columns = [
  { title: "Service" },
  { title: "Endpoints" },
  { title: "Namespace", kind: "wide" },
  { title: "Ports", kind: "wide" },
  { title: "Visible to", kind: "wide" },
] as const;

/** Services of all namespaces, or of one. */
export function ServiceList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const { first, items, total, loading, failure, retry, show } = usePages<ServiceListing>(
    "/mesh/services",
    apiParameters(query, ["search", "namespace", "health"]),
    (type) => type === "configuration",
  );
  const filtered = query.size > 0;
  return (
    <MeshPage current="/mesh/services">
      <Section title="Services" aside={<span class="hint">{counted(total, "service", "services")}</span>}>
        <FilterBar>
          <SearchField query={query} label="Search by hostname, address or port" />
          <FacetField query={query} name="namespace" label="Namespace" facets={first?.facets.namespace ?? []} />
          <FacetField
            query={query}
            name="health"
            label="Endpoints"
            facets={first?.facets.health ?? []}
            wordFor={(value) => healthWords[value as ServiceHealth]}
          />
        </FilterBar>
        {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
        {!loading && failure === undefined && total === 0 && (
          <Empty title={filtered ? "No service matches these filters." : "The mesh has no services."}>
            {!filtered && <p>Declare one with a ServiceEntry, or connect the server to a registry with --source.</p>}
          </Empty>
        )}
        {items.length > 0 && (
          <VirtualTable
            label="Services"
            columns={columns}
            items={items}
            total={total}
            keyOf={({ id }) => id}
            row={(service) => <Row service={service} />}
            onRange={show}
          />
        )}
      </Section>
    </MeshPage>
  );
}

const healthWords: Readonly<Record<ServiceHealth, string>> = {
  healthy: "all healthy",
  partial: "some unhealthy",
  unhealthy: "all unhealthy",
  empty: "no endpoints",
};

const healthTones: Readonly<Record<ServiceHealth, Tone>> = {
  healthy: "ok",
  partial: "warning",
  unhealthy: "error",
  empty: "off",
};

function Row({ service }: { readonly service: ServiceSummary }): JSX.Element {
  const { hostname, namespace, ports, endpoints, unhealthy, health, exportTo } = service;
  return (
    <>
      <th scope="row">
        <Link href={pathTo("mesh", "services", namespace, hostname)}>{hostname}</Link>
      </th>
      <td>
        <Status tone={healthTones[health]}>
          {endpoints === 0 ? "none" : count(endpoints)}
          {unhealthy > 0 && `, ${count(unhealthy)} unhealthy`}
        </Status>
      </td>
      <td class="wide">{namespace}</td>
      <td class="wide">{ports.map(({ number, protocol }) => `${number} ${protocol}`).join(", ")}</td>
      <td class="wide">{exportWords(exportTo)}</td>
    </>
  );
}

export function exportWords(exportTo: readonly string[]): string {
  if (exportTo.includes("*")) return "all namespaces";
  if (exportTo.includes("~")) return "no namespace";
  return exportTo.map((name) => (name === "." ? "its own namespace" : name)).join(", ");
}
