import type { JSX } from "preact";
import type { GatewayHost, GatewayListing } from "../../../src/desk/api/model/mesh.ts";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, FacetField, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { MeshPage } from "./mesh-page.tsx";

const columns = [
  { title: "Host" },
  { title: "Owner of the routes" },
  { title: "Gateway", kind: "wide" },
  { title: "Ports", kind: "wide" },
  { title: "Proxies", kind: "wide number" },
] as const;

/** Hosts of gateways, and the VirtualService that owns each. */
export function Gateways({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const { first, items, total, loading, failure, retry, show } = usePages<GatewayListing>(
    "/mesh/gateways",
    apiParameters(query, ["search", "gateway"]),
    (type) => type === "configuration",
  );
  const filtered = query.size > 0;
  return (
    <MeshPage current="/mesh/gateways">
      <Section title="Hosts of gateways" aside={<span class="hint">{counted(total, "host", "hosts")}</span>}>
        <FilterBar>
          <SearchField query={query} label="Search by host or gateway" />
          <FacetField query={query} name="gateway" label="Gateway" facets={first?.facets.gateway ?? []} />
        </FilterBar>
        {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
        {!loading && failure === undefined && total === 0 && (
          <Empty title={filtered ? "No host matches these filters." : "The mesh has no gateways."}>
            {!filtered && (
              <p>A Gateway object opens ports of routers. A VirtualService with its name routes requests.</p>
            )}
          </Empty>
        )}
        {items.length > 0 && (
          <VirtualTable
            label="Hosts of gateways"
            columns={columns}
            items={items}
            total={total}
            keyOf={({ host, gateway }) => `${host} ${gateway.id}`}
            row={(host) => <Row host={host} />}
            onRange={show}
          />
        )}
      </Section>
    </MeshPage>
  );
}

function Row({ host: { host, gateway, ports, proxies, owners } }: { readonly host: GatewayHost }): JSX.Element {
  const [owner] = owners;
  return (
    <>
      <th scope="row">{host}</th>
      <td>
        {owner === undefined ? (
          <Status tone="warning">nobody: requests get 404</Status>
        ) : (
          <>
            <ObjectName object={owner} />
            {owners.length > 1 && <span class="hint"> and {counted(owners.length - 1, "other", "others")}</span>}
          </>
        )}
      </td>
      <td class="wide">
        <ObjectName object={gateway} />
      </td>
      <td class="wide">{ports.map(({ number, protocol, tls }) => `${number} ${protocol} ${tls}`.trim()).join(", ")}</td>
      <td class="wide number">{count(proxies)}</td>
    </>
  );
}
