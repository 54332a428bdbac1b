import type { JSX } from "preact";
import type { ProxyResource, ResourceListing } from "../../../src/desk/api/model/proxies.ts";
import { pathTo, setQuery } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { bytes, count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { syncTones } from "./proxy-state.ts";
import { ResourceContent } from "./resource-content.tsx";

const columns = [
  { title: "Resource" },
  { title: "Type" },
  { title: "Status", kind: "wide" },
  { title: "From", kind: "wide" },
  { title: "Bytes", kind: "wide number" },
] as const;

export interface ResourcesProps {
  readonly node: string;
  readonly query: URLSearchParams;
}

/** The configuration of the proxy: its resources by type, and one resource as a tree. */
export function Resources({ node, query }: ResourcesProps): JSX.Element {
  const [type, name] = [query.get("type") ?? "", query.get("resource") ?? ""];
  return (
    <Section title="Configuration of the proxy">
      {type === "" || name === "" ? (
        <ResourceList node={node} query={query} />
      ) : (
        <ResourceContent node={node} type={type} name={name} />
      )}
    </Section>
  );
}

function ResourceList({ node, query }: ResourcesProps): JSX.Element {
  const { first, items, total, loading, failure, retry, show } = usePages<ResourceListing>(
    `${pathTo("proxies", node)}/resources`,
    apiParameters(query, ["search", "type"]),
    (event) => event === "proxies",
  );
  return (
    <>
      <SearchField query={query} label="Search by name, or by the object that a resource is made from" />
      <Types chosen={query.get("type") ?? ""} facets={first?.facets.type ?? []} />
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {!loading && failure === undefined && total === 0 && (
        <Empty title="No resource matches.">
          <p>The proxy has no such resource. An object without a resource here is not in the scope of the proxy.</p>
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <p class="hint" role="status">
            {counted(total, "resource", "resources")}
          </p>
          <VirtualTable
            label="Resources"
            columns={columns}
            items={items}
            total={total}
            keyOf={(resource) => `${resource.type} ${resource.name}`}
            row={(resource) => <Row resource={resource} />}
            onRange={show}
          />
        </>
      )}
    </>
  );
}

interface TypesProps {
  readonly chosen: string;
  readonly facets: ResourceListing["facets"]["type"];
}

/** The number of found resources per type. */
function Types({ chosen, facets }: TypesProps): JSX.Element {
  const all = facets.reduce((sum, facet) => sum + facet.count, 0);
  return (
    <div class="tabs" role="group" aria-label="Type">
      {[{ value: "", count: all }, ...facets].map(({ value, count: found }) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => setQuery({ type: value })}>
          {value || "All"} <span class="hint">{count(found)}</span>
        </button>
      ))}
    </div>
  );
}

function Row({
  resource: { type, name, status, owners, bytes: size },
}: {
  readonly resource: ProxyResource;
}): JSX.Element {
  const [owner] = owners.items;
  return (
    <>
      <th scope="row">
        <button type="button" class="link" title={name} onClick={() => setQuery({ type, resource: name })}>
          {name}
        </button>
      </th>
      <td>{type}</td>
      <td class="wide">
        <Status tone={syncTones[status]}>{status.toLowerCase()}</Status>
      </td>
      <td class="wide">
        {owner === undefined ? (
          "made by the server"
        ) : (
          <span class="owner">
            <ObjectName object={owner} />
            {owners.total > 1 && <span class="hint">and {count(owners.total - 1)} more</span>}
          </span>
        )}
      </td>
      <td class="wide number">{bytes(size)}</td>
    </>
  );
}
