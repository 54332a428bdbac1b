import type { JSX } from "preact";
import type { MeshSummary, NamespaceSummary } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo, setQuery } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { useRefreshWhile } from "../../app/use-refresh-while.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";
import { CallLegend } from "./call-legend.tsx";
import { CallMatrix } from "./call-matrix.tsx";
import { MeshPage } from "./mesh-page.tsx";
import { NamespaceGraph } from "./namespace-graph.tsx";

/** Calls between namespaces, as a graph or a table, and the namespaces. */
export function Namespaces({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const watched = useApi<MeshSummary>("/mesh", ({ type }) => (type === "configuration" ? "refetch" : undefined));
  const { loaded, refresh } = watched;
  useRefreshWhile(loaded.type === "ready" && loaded.value.calls.pending, loaded, refresh);
  return (
    <MeshPage current="/mesh">
      <WhenReady watched={watched}>
        {(mesh) =>
          mesh.namespaces.total === 0 ? (
            <Empty title="The mesh has no services and no proxies.">
              <p>Declare a service with a ServiceEntry, or connect the server to a registry with --source.</p>
            </Empty>
          ) : (
            <>
              <Calls mesh={mesh} asTable={query.get("view") === "table"} />
              <NamespaceTable namespaces={mesh.namespaces.items} total={mesh.namespaces.total} />
            </>
          )
        }
      </WhenReady>
    </MeshPage>
  );
}

function Calls({ mesh, asTable }: { readonly mesh: MeshSummary; readonly asTable: boolean }): JSX.Element {
  const { between } = mesh.calls;
  const names = [...new Set(between.map(({ from }) => from))];
  return (
    <Section title="Who may call whom, by configuration" aside={<ViewSwitch asTable={asTable} />}>
      <p class="hint">
        Sidecar scopes, exportTo, mutual TLS and AuthorizationPolicies decide. Proxies on both sides enforce them.
        {mesh.namespaces.total > names.length &&
          ` The ${count(names.length)} namespaces with the most services are shown.`}
      </p>
      <CallLegend />
      {asTable ? (
        <CallMatrix names={names} calls={between} />
      ) : (
        <NamespaceGraph names={names} calls={between} namespaces={mesh.namespaces.items} />
      )}
    </Section>
  );
}

/** The choice is a parameter of the address. */
function ViewSwitch({ asTable }: { readonly asTable: boolean }): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label="View">
      <button type="button" aria-pressed={!asTable} onClick={() => setQuery({ view: "" })}>
        Graph
      </button>
      <button type="button" aria-pressed={asTable} onClick={() => setQuery({ view: "table" })}>
        Table
      </button>
    </div>
  );
}

const columns = [
  { title: "Namespace" },
  { title: "Services", kind: "number" },
  { title: "Endpoints", kind: "number" },
  { title: "Proxies", kind: "wide number" },
] as const;

interface NamespaceTableProps {
  readonly namespaces: readonly NamespaceSummary[];
  readonly total: number;
}

function NamespaceTable({ namespaces, total }: NamespaceTableProps): JSX.Element {
  return (
    <Section title="Namespaces" aside={<span class="hint">{counted(total, "namespace", "namespaces")}</span>}>
      <Table label="Namespaces" columns={columns}>
        {namespaces.map(({ name, services, endpoints, unhealthy, proxies }) => (
          <tr key={name}>
            <th scope="row">
              <Link href={pathTo("mesh", "namespaces", name)}>{name}</Link>
            </th>
            <td class="number">{count(services)}</td>
            <td class="number">
              {unhealthy > 0 && <Status tone="warning">{count(unhealthy)} unhealthy of</Status>} {count(endpoints)}
            </td>
            <td class="wide number">{count(proxies)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
