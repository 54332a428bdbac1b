import type { JSX } from "preact";
import type { ServiceListing, ServiceSummary } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, FacetField, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";

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
    apiParameters(query, ["search", "namespace"]),
    (type) => type === "configuration",
  );
  return (
    <Section title="Services" aside={<span class="hint">{counted(total, "service", "services")}</span>}>
      <FilterBar>
        <SearchField query={query} label="Search by hostname" />
        <FacetField query={query} name="namespace" label="Namespace" facets={first?.facets.namespace ?? []} />
      </FilterBar>
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {!loading && failure === undefined && total === 0 && <Empty title="No service matches." />}
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
  );
}

function Row({ service }: { readonly service: ServiceSummary }): JSX.Element {
  const { hostname, namespace, ports, endpoints, unhealthy, exportTo } = service;
  return (
    <>
      <th scope="row">
        <Link href={pathTo("mesh", "services", namespace, hostname)}>{hostname}</Link>
      </th>
      <td>
        <Status tone={unhealthy > 0 ? "warning" : endpoints === 0 ? "off" : "ok"}>
          {count(endpoints)}
          {unhealthy > 0 && `, ${count(unhealthy)} unhealthy`}
        </Status>
      </td>
      <td class="wide">{namespace}</td>
      <td class="wide">{ports.map(({ number, protocol }) => `${number} ${protocol}`).join(", ")}</td>
      <td class="wide">{exportTo.includes("*") ? "all namespaces" : exportTo.join(", ")}</td>
    </>
  );
}
