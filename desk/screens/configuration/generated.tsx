import type { JSX } from "preact";
import type { GeneratedFrom, ReachedProxy } from "../../../src/desk/api/model/configuration.ts";
import type { Listing } from "../../../src/desk/api/model/listing.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";

const columns = [{ title: "Type" }, { title: "Resource" }, { title: "Proxies", kind: "number" }] as const;

export interface GeneratedProps {
  /** Of the object, in the API. */
  readonly path: string;
  readonly generated: GeneratedFrom;
  readonly query: URLSearchParams;
}

/** The resources that proxies get because of the object, and these proxies. */
export function Generated({ path, generated, query }: GeneratedProps): JSX.Element {
  const { proxies, upToDate, resources } = generated;
  if (proxies === 0)
    return (
      <Section title="Generated from it">
        <Empty title="No connected proxy has a resource that is made from this object.">
          <p>
            Its hosts, selectors or exportTo may fit no proxy. <Link href="/explain">Explain</Link> a request that it
            should decide.
          </p>
        </Empty>
      </Section>
    );
  return (
    <Section
      title="Generated from it"
      aside={
        <Status tone={upToDate === proxies ? "ok" : "wait"}>
          {count(upToDate)} of {counted(proxies, "proxy is", "proxies are")} up to date
        </Status>
      }
    >
      <Table label="Generated resources" columns={columns}>
        {resources.items.map(({ type, name, proxies: holders }) => (
          <tr key={`${type} ${name}`}>
            <td>{type}</td>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td class="number">{count(holders)}</td>
          </tr>
        ))}
      </Table>
      {resources.total > resources.items.length && (
        <p class="hint">
          The first {count(resources.items.length)} of {count(resources.total)} resources.
        </p>
      )}
      <h3>For these proxies</h3>
      <Reached path={path} query={query} />
    </Section>
  );
}

const proxyColumns = [{ title: "Proxy" }, { title: "State" }, { title: "Resources", kind: "wide number" }] as const;

function Reached({ path, query }: Pick<GeneratedProps, "path" | "query">): JSX.Element {
  const { items, total, loading, failure, retry, show } = usePages<Listing<ReachedProxy>>(
    `${path}/proxies`,
    apiParameters(query, ["search"]),
    (type) => type === "proxies",
  );
  return (
    <>
      {(total > 10 || query.has("search")) && <SearchField query={query} label="Search by node id" />}
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {!loading && failure === undefined && total === 0 && <Empty title="No proxy matches this search." />}
      {items.length > 0 && (
        <VirtualTable
          label="Proxies with resources of this object"
          columns={proxyColumns}
          items={items}
          total={total}
          keyOf={({ node }) => node}
          row={({ node, upToDate, resources }) => (
            <>
              <th scope="row">
                <Link href={pathTo("proxies", node)}>{node}</Link>
              </th>
              <td>
                <Status tone={upToDate ? "ok" : "wait"}>{upToDate ? "up to date" : "behind"}</Status>
              </td>
              <td class="wide number">{count(resources)}</td>
            </>
          )}
          onRange={show}
        />
      )}
    </>
  );
}
