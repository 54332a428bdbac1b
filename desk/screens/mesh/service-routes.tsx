import type { JSX } from "preact";
import type { ServiceDetail, ServiceRoute, ServiceSubset } from "../../../src/desk/api/model/mesh.ts";
import { ObjectName } from "../../parts/object.tsx";
import { count, sentence } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";

const columns = [{ title: "Requests" }, { title: "Go" }] as const;

/** VirtualServices about the hostname, and those that send requests here. */
export function Routes({ routes: { items, total } }: Pick<ServiceDetail, "routes">): JSX.Element {
  return (
    <Section
      title="Routes"
      aside={items.length < total && <span class="hint">{`the first ${count(items.length)} of ${count(total)}`}</span>}
    >
      {total === 0 ? (
        <p class="hint">No VirtualService names it: requests go to all of its endpoints.</p>
      ) : (
        items.map((route) => <Route key={route.object.id} route={route} />)
      )}
    </Section>
  );
}

function Route({ route: { object, role, gateways, rules } }: { readonly route: ServiceRoute }): JSX.Element {
  const where = gateways.map((gateway) => (gateway === "mesh" ? "sidecars" : `gateway ${gateway}`)).join(", ");
  return (
    <div class="refusal">
      <h3>
        <ObjectName object={object} />
      </h3>
      <p class="hint">{role === "host" ? `For this hostname, at ${where}` : `For other hosts, at ${where}`}</p>
      <Table label={`Routes of ${object.name}`} columns={columns}>
        {rules.items.map(({ match, action }) => (
          <tr key={`${match} ${action}`}>
            <th scope="row">{sentence(match)}</th>
            <td>{action}</td>
          </tr>
        ))}
      </Table>
      {rules.items.length < rules.total && <p class="hint">{count(rules.total - rules.items.length)} more</p>}
    </div>
  );
}

const subsetColumns = [{ title: "Subset" }, { title: "Labels" }, { title: "Endpoints", kind: "number" }] as const;

export function Subsets({ subsets }: { readonly subsets: readonly ServiceSubset[] }): JSX.Element | null {
  if (subsets.length === 0) return null;
  return (
    <Table label="Subsets" columns={subsetColumns}>
      {subsets.map(({ name, labels, endpoints, object }) => (
        <tr key={`${object.id} ${name}`}>
          <th scope="row">{name}</th>
          <td>
            {Object.entries(labels)
              .map(([key, value]) => `${key}=${value}`)
              .join(", ")}
          </td>
          <td class="number">{endpoints === 0 ? <Status tone="warning">none</Status> : count(endpoints)}</td>
        </tr>
      ))}
    </Table>
  );
}
