import type { JSX } from "preact";
import type { GatewaySummary } from "../../../src/desk/api/model/mesh.ts";
import { ObjectName } from "../../parts/object.tsx";
import { count } from "../../parts/quantity.ts";
import { Section, Table } from "../../parts/table.tsx";

const columns = [
  { title: "Gateway" },
  { title: "Hosts" },
  { title: "Ports", kind: "wide" },
  { title: "Proxies", kind: "number" },
] as const;

/** Entrances to the mesh. */
export function Gateways({ gateways }: { readonly gateways: readonly GatewaySummary[] }): JSX.Element {
  return (
    <Section title="Gateways">
      <Table label="Gateways" columns={columns}>
        {gateways.map(({ object, hosts, ports, proxies }) => (
          <tr key={object.id}>
            <th scope="row">
              <ObjectName object={object} />
            </th>
            <td>
              {hosts.items.join(", ")}
              {hosts.total > hosts.items.length && ` and ${count(hosts.total - hosts.items.length)} more`}
            </td>
            <td class="wide">{ports.join(", ")}</td>
            <td class="number">{count(proxies)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
