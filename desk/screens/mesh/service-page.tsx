import type { JSX } from "preact";
import type { EndpointSummary, ServiceDetail } from "../../../src/desk/api/model/mesh.ts";
import { pathTo } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Facts, Section, Table } from "../../parts/table.tsx";

const parent = { href: "/mesh", title: "Mesh" };

export interface ServicePageProps {
  readonly namespace: string;
  readonly hostname: string;
}

/** One service: its endpoints, the rules about it, and who sees it. */
export function ServicePage({ namespace, hostname }: ServicePageProps): JSX.Element {
  const watched = useApi<ServiceDetail>(pathTo("mesh", "services", namespace, hostname), ({ type }) =>
    type === "configuration" ? "refetch" : undefined,
  );
  return (
    <Page title={hostname} parent={parent}>
      <WhenReady watched={watched}>{(service) => <Content service={service} />}</WhenReady>
    </Page>
  );
}

function Content({ service }: { readonly service: ServiceDetail }): JSX.Element {
  return (
    <>
      <div class="grid two">
        <Section title="About">
          <Facts
            facts={[
              ["Namespace", service.namespace],
              [
                "Ports",
                service.ports.map(({ number, protocol, name }) => `${number} ${protocol} (${name})`).join(", "),
              ],
              ["Addresses", service.addresses.join(", ")],
              ["Resolution", service.resolution],
              ["Visible to", service.exportTo.includes("*") ? "all namespaces" : service.exportTo.join(", ")],
              ["Seen by", counted(service.seenBy, "connected proxy", "connected proxies")],
              [
                "Declared by",
                service.object === undefined ? "the server" : <ObjectName key="o" object={service.object} />,
              ],
            ]}
          />
        </Section>
        <Section title="Rules about it">
          {service.rules.length === 0 ? (
            <p class="hint">No VirtualService, DestinationRule or policy names it.</p>
          ) : (
            <ul class="plain">
              {service.rules.map((rule) => (
                <li key={rule.id}>
                  <ObjectName object={rule} />
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
      <Section
        title="Endpoints"
        aside={<span class="hint">{counted(service.instances.total, "endpoint", "endpoints")}</span>}
      >
        {service.instances.total === 0 ? (
          <Empty title="The service has no endpoints.">
            <p>Requests to it fail with 503. Add endpoints to its ServiceEntry, or workloads that it selects.</p>
          </Empty>
        ) : (
          <Endpoints endpoints={service.instances.items} />
        )}
      </Section>
    </>
  );
}

const columns = [
  { title: "Address" },
  { title: "Health" },
  { title: "Locality", kind: "wide" },
  { title: "Network", kind: "wide" },
  { title: "Weight", kind: "number" },
] as const;

function Endpoints({ endpoints }: { readonly endpoints: readonly EndpointSummary[] }): JSX.Element {
  return (
    <Table label="Endpoints" columns={columns}>
      {endpoints.map(({ address, port, healthy, locality, network, weight }) => (
        <tr key={`${address}:${port}`}>
          <th scope="row">
            <code>
              {address}:{port}
            </code>
          </th>
          <td>
            <Status tone={healthy ? "ok" : "error"}>{healthy ? "healthy" : "unhealthy"}</Status>
          </td>
          <td class="wide">{locality || "–"}</td>
          <td class="wide">{network || "–"}</td>
          <td class="number">{count(weight)}</td>
        </tr>
      ))}
    </Table>
  );
}
