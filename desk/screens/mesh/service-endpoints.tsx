import type { JSX } from "preact";
import type { EndpointSummary, ServiceDetail } from "../../../src/desk/api/model/mesh.ts";
import { Empty } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";

const columns = [
  { title: "Address" },
  { title: "Health" },
  { title: "Workload", kind: "wide" },
  { title: "Port", kind: "wide" },
  { title: "Locality", kind: "wide" },
  { title: "Network", kind: "wide" },
  { title: "Mutual TLS", kind: "wide" },
  { title: "Weight", kind: "number" },
] as const;

const tones: Readonly<Record<EndpointSummary["health"], Tone>> = {
  healthy: "ok",
  unhealthy: "error",
  draining: "warning",
  terminating: "off",
};

export function Endpoints({ instances: { items, total } }: Pick<ServiceDetail, "instances">): JSX.Element {
  return (
    <Section
      title="Endpoints"
      aside={
        <span class="hint">
          {items.length < total && `the first ${count(items.length)} of `}
          {counted(total, "endpoint", "endpoints")}
        </span>
      }
    >
      {total === 0 ? (
        <Empty title="The service has no endpoints.">
          <p>Requests to it fail with 503. Add endpoints to its ServiceEntry, or workloads that it selects.</p>
        </Empty>
      ) : (
        <Table label="Endpoints" columns={columns}>
          {items.map((endpoint) => (
            <Row key={`${endpoint.address}:${endpoint.port} ${endpoint.portName}`} endpoint={endpoint} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Row({ endpoint }: { readonly endpoint: EndpointSummary }): JSX.Element {
  const { address, port, portName, health, locality, network, weight, workload, mtls } = endpoint;
  return (
    <tr>
      <th scope="row">
        <code>
          {address}:{port}
        </code>
      </th>
      <td>
        <Status tone={tones[health]}>{health}</Status>
      </td>
      <td class="wide">{workload || "–"}</td>
      <td class="wide">{portName}</td>
      <td class="wide">{locality || "–"}</td>
      <td class="wide">{network || "–"}</td>
      <td class="wide">{mtls ? "yes" : "no"}</td>
      <td class="number">{count(weight)}</td>
    </tr>
  );
}
