import type { JSX } from "preact";
import type { ConfigurationListing, ObjectSummary } from "../../../src/desk/api/model/configuration.ts";
import { Link } from "../../app/router.tsx";
import { usePages } from "../../app/use-pages.ts";
import { apiParameters, FacetField, FilterBar, SearchField } from "../../parts/filters.tsx";
import { Empty, Failure } from "../../parts/notice.tsx";
import { objectPath, Reference } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { VirtualTable } from "../../parts/virtual-table.tsx";

const filters = ["search", "kind", "namespace", "source", "severity"];
const columns = [
  { title: "Object" },
  { title: "State" },
  { title: "Kind", kind: "wide" },
  { title: "Namespace", kind: "wide" },
  { title: "Declared at", kind: "wide" },
] as const;

/** The objects of all sources. The server searches and filters. */
export function ObjectList({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const parameters = apiParameters(query, filters);
  const { first, items, total, loading, failure, retry, show } = usePages<ConfigurationListing>(
    "/configuration",
    parameters,
    (type) => type === "configuration",
  );
  const facets = first?.facets;
  return (
    <Page title="Configuration">
      <FilterBar>
        <SearchField query={query} label="Search by name, file, label or host" />
        <FacetField query={query} name="kind" label="Kind" facets={facets?.kind ?? []} />
        <FacetField query={query} name="namespace" label="Namespace" facets={facets?.namespace ?? []} />
        <FacetField query={query} name="source" label="Source" facets={facets?.source ?? []} />
        <FacetField query={query} name="severity" label="Worst issue" facets={facets?.severity ?? []} />
      </FilterBar>
      {failure !== undefined && <Failure failure={failure} retry={retry} stale={items.length > 0} />}
      {loading && <p class="loading">Loading …</p>}
      {!loading && failure === undefined && total === 0 && <Nothing filtered={parameters !== ""} />}
      {first !== undefined && <Unreadable unreadable={first.unreadable} />}
      {items.length > 0 && (
        <section class="card" aria-label="Objects">
          <p class="hint" role="status">
            {counted(total, "object", "objects")}
          </p>
          <VirtualTable
            label="Objects"
            columns={columns}
            items={items}
            total={total}
            keyOf={({ id }) => id}
            row={(object) => <Row object={object} />}
            onRange={show}
          />
        </section>
      )}
    </Page>
  );
}

function Row({ object }: { readonly object: ObjectSummary }): JSX.Element {
  return (
    <>
      <th scope="row">
        <Link href={objectPath(object)}>{object.name}</Link>
      </th>
      <td>
        <ObjectStatus object={object} />
      </td>
      <td class="wide">{object.kind}</td>
      <td class="wide">{object.namespace || "–"}</td>
      <td class="wide">{object.reference === undefined ? "–" : <Reference at={object.reference} />}</td>
    </>
  );
}

/** Issues first: an object in use may have an error as well. */
function ObjectStatus({ object: { severity, issues, state } }: { readonly object: ObjectSummary }): JSX.Element {
  if (severity === undefined) return <Status tone={state === "in use" ? "ok" : "error"}>{state}</Status>;
  return (
    <Status tone={severity}>
      {counted(issues, severity, "issues")}
      {state !== "in use" && `, ${state}`}
    </Status>
  );
}

/** Files and documents that no object is known of: the list below cannot contain them. */
function Unreadable({ unreadable: { items, total } }: Pick<ConfigurationListing, "unreadable">): JSX.Element | null {
  if (total === 0) return null;
  return (
    <Section
      title="Documents that the server cannot read"
      aside={<Status tone={items[0]?.severity ?? "error"}>{counted(total, "issue", "issues")}</Status>}
    >
      <ul class="issues">
        {items.map(({ severity, code, text, reference }) => (
          <li key={`${reference} ${text}`}>
            <Status tone={severity}>{text}</Status>
            <p class="hint">
              <span>{code}</span> {reference !== undefined && <Reference at={reference} />}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Nothing({ filtered }: { readonly filtered: boolean }): JSX.Element {
  if (filtered)
    return (
      <Empty title="No object matches these filters.">
        <p>
          <Link href="/configuration">Show all objects</Link>
        </p>
      </Empty>
    );
  return (
    <Empty title="No source has an object.">
      <p>
        Put YAML files into the directory of the server, for example those of <code>examples/bookinfo</code>.
      </p>
    </Empty>
  );
}
