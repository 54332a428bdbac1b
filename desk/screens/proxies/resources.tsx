import type { JSX } from "preact";
import type { Listing } from "../../../src/desk/api/model/listing.ts";
import type { ProxyResource, ProxyResourceDetail } from "../../../src/desk/api/model/proxies.ts";
import { pathTo, setQuery } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, SearchField } from "../../parts/filters.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { Empty, Failure, WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { bytes, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";
import { syncTones } from "./proxy-state.ts";

const columns = [
  { title: "Resource" },
  { title: "Status" },
  { title: "From", kind: "wide" },
  { title: "Bytes", kind: "wide number" },
] as const;

export interface ResourcesProps {
  readonly node: string;
  readonly types: readonly string[];
  readonly query: URLSearchParams;
}

/** The configuration of the proxy, one type at a time, and one resource as a tree. */
export function Resources({ node, types, query }: ResourcesProps): JSX.Element | null {
  const type = query.get("type") ?? types[0];
  if (type === undefined) return null;
  const name = query.get("resource") ?? "";
  return (
    <Section title="Configuration of the proxy">
      <div class="tabs" role="group" aria-label="Type">
        {types.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === type}
            onClick={() => setQuery({ type: each, resource: "" })}
          >
            {each}
          </button>
        ))}
      </div>
      {name === "" ? (
        <ResourceList node={node} type={type} query={query} />
      ) : (
        <ResourceContent node={node} type={type} name={name} />
      )}
    </Section>
  );
}

type OneTypeProps = Pick<ResourcesProps, "node" | "query"> & { readonly type: string };

function ResourceList({ node, type, query }: OneTypeProps): JSX.Element {
  const { items, total, loading, failure, retry, show } = usePages<Listing<ProxyResource>>(
    `${pathTo("proxies", node)}/resources`,
    `&type=${encodeURIComponent(type)}${apiParameters(query, ["search"])}`,
    (event) => event === "proxies",
  );
  return (
    <>
      <SearchField query={query} label="Search resources" />
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {!loading && failure === undefined && total === 0 && <Empty title="The proxy has no such resource." />}
      {items.length > 0 && (
        <>
          <p class="hint">{counted(total, "resource", "resources")}</p>
          <VirtualTable
            label={`Resources of ${type}`}
            columns={columns}
            items={items}
            total={total}
            keyOf={(resource) => resource.name}
            row={(resource) => <Row resource={resource} />}
            onRange={show}
          />
        </>
      )}
    </>
  );
}

function Row({ resource: { name, status, owners, bytes: size } }: { readonly resource: ProxyResource }): JSX.Element {
  const [owner] = owners;
  return (
    <>
      <th scope="row">
        <button type="button" class="link" title={name} onClick={() => setQuery({ resource: name })}>
          {name}
        </button>
      </th>
      <td>
        <Status tone={syncTones[status]}>{status}</Status>
      </td>
      <td class="wide">{owner === undefined ? "made by the server" : <ObjectName object={owner} />}</td>
      <td class="wide number">{bytes(size)}</td>
    </>
  );
}

interface ResourceContentProps {
  readonly node: string;
  readonly type: string;
  readonly name: string;
}

function ResourceContent({ node, type, name }: ResourceContentProps): JSX.Element {
  const path = `${pathTo("proxies", node, "resources", name)}?type=${encodeURIComponent(type)}`;
  const watched = useApi<ProxyResourceDetail>(path, (event) => (event.type === "proxies" ? "refetch" : undefined));
  return (
    <>
      <p>
        <button type="button" onClick={() => setQuery({ resource: "" })}>
          All resources of {type}
        </button>
      </p>
      <h3 class="mono">{name}</h3>
      <WhenReady watched={watched}>
        {({ owners, content, version }) => (
          <>
            <p class="hint">
              Version <code>{version || "none"}</code>
            </p>
            {owners.map((owner) => (
              <p key={owner.id}>
                From <ObjectName object={owner} />
              </p>
            ))}
            <JsonTree value={content} />
          </>
        )}
      </WhenReady>
    </>
  );
}
