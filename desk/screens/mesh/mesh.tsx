import type { JSX } from "preact";
import type { MeshConflict, MeshSummary, NamespaceSummary } from "../../../src/desk/api/model/mesh.ts";
import { Link } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import type { ViewProps } from "../../app/view.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";
import { Gateways } from "./gateways.tsx";
import { ServiceList } from "./service-list.tsx";
import { ServicePage } from "./service-page.tsx";

/** Namespaces and services, or one service. */
export function Mesh({ path: [, namespace, hostname], query }: ViewProps): JSX.Element {
  if (namespace !== undefined && hostname !== undefined)
    return <ServicePage namespace={namespace} hostname={hostname} />;
  return <Summary query={query} />;
}

function Summary({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const watched = useApi<MeshSummary>("/mesh", ({ type }) => (type === "configuration" ? "refetch" : undefined));
  return (
    <Page title="Mesh">
      <WhenReady watched={watched}>
        {({ namespaces, gateways, conflicts }) => (
          <>
            {conflicts.total > 0 && <Conflicts conflicts={conflicts.items} total={conflicts.total} />}
            <Section title="Namespaces" aside={<span class="hint">by configuration: scopes and exportTo</span>}>
              {namespaces.length === 0 ? (
                <Empty title="The mesh has no services.">
                  <p>Declare one with a ServiceEntry.</p>
                </Empty>
              ) : (
                <Namespaces namespaces={namespaces} />
              )}
            </Section>
            {gateways.length > 0 && <Gateways gateways={gateways} />}
          </>
        )}
      </WhenReady>
      <ServiceList query={query} />
    </Page>
  );
}

const columns = [
  { title: "Namespace" },
  { title: "Services", kind: "number" },
  { title: "Endpoints", kind: "number" },
  { title: "Proxies", kind: "wide number" },
  { title: "Its proxies see the services of", kind: "wide" },
] as const;

function Namespaces({ namespaces }: { readonly namespaces: readonly NamespaceSummary[] }): JSX.Element {
  return (
    <Table label="Namespaces" columns={columns}>
      {namespaces.map(({ name, services, endpoints, unhealthy, proxies, sees }) => (
        <tr key={name}>
          <th scope="row">
            <Link href={`/mesh?namespace=${encodeURIComponent(name)}`}>{name}</Link>
          </th>
          <td class="number">{count(services)}</td>
          <td class="number">
            {count(endpoints)} {unhealthy > 0 && <Status tone="warning">{count(unhealthy)} unhealthy</Status>}
          </td>
          <td class="wide number">{count(proxies)}</td>
          <td class="wide">{sees.includes("*") ? "all namespaces" : sees.join(", ") || "–"}</td>
        </tr>
      ))}
    </Table>
  );
}

function Conflicts({
  conflicts,
  total,
}: {
  readonly conflicts: readonly MeshConflict[];
  readonly total: number;
}): JSX.Element {
  return (
    <Section title={counted(total, "conflict", "conflicts")}>
      <ul class="issues">
        {conflicts.map(({ type, about, winner, losers, reason }) => (
          <li key={`${type} ${about}`}>
            <Status tone="warning">
              {type}: {about}. {reason}
            </Status>
            <p class="hint">
              {winner === undefined ? "The mesh itself wins" : <ObjectName object={winner} />} wins over{" "}
              {losers.map((loser) => (
                <ObjectName key={loser.id} object={loser} />
              ))}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
