import type { JSX } from "preact";
import type { ServiceDetail } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Facts, Section } from "../../parts/table.tsx";
import { Callers } from "./callers.tsx";
import { exportWords } from "./service-list.tsx";
import { Endpoints } from "./service-endpoints.tsx";
import { Routes, Subsets } from "./service-routes.tsx";

const parent = { href: "/mesh/services", title: "Services" };

export interface ServicePageProps {
  readonly namespace: string;
  readonly hostname: string;
}

/** One service: its endpoints, the rules about it, and who may call it. */
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
        <About service={service} />
        <Section title="Rules about it">
          {service.rules.length === 0 ? (
            <p class="hint">No DestinationRule, PeerAuthentication or AuthorizationPolicy applies to it.</p>
          ) : (
            <ul class="plain">
              {service.rules.map((rule) => (
                <li key={rule.id}>
                  <ObjectName object={rule} />
                </li>
              ))}
            </ul>
          )}
          <Subsets subsets={service.subsets} />
        </Section>
      </div>
      <Section title="Who may call it" aside={<span class="hint">by configuration, for callers with a proxy</span>}>
        <Callers callers={service.callers} />
        <p class="hint">{proxyWords(service)}</p>
      </Section>
      <Routes routes={service.routes} />
      <Endpoints instances={service.instances} />
    </>
  );
}

/** Policies have no effect where no proxy enforces them. */
function proxyWords({ meshExternal, instances: { total }, proxied }: ServiceDetail): string {
  if (meshExternal) return "The service is outside of the mesh: policies of this mesh do not apply to it.";
  if (total === 0) return "The service has no endpoints.";
  const rest = "Proxies of the endpoints enforce mutual TLS and policies";
  return proxied === total
    ? `${rest}: all ${count(total)} endpoints have one here.`
    : `${rest}: ${count(proxied)} of ${count(total)} endpoints have one that is connected to this server.`;
}

function About({ service }: { readonly service: ServiceDetail }): JSX.Element {
  const { namespace, ports, addresses, resolution, exportTo, seenBy, object } = service;
  return (
    <Section title="About">
      <Facts
        facts={[
          [
            "Namespace",
            <Link key="n" href={pathTo("mesh", "namespaces", namespace)}>
              {namespace}
            </Link>,
          ],
          ["Ports", ports.map(({ number, protocol, name }) => `${number} ${protocol} (${name})`).join(", ")],
          ["Addresses", addresses.join(", ")],
          ["Resolution", resolution],
          ["Visible to", exportWords(exportTo)],
          ["Seen by", counted(seenBy, "connected proxy", "connected proxies")],
          ["Declared by", <ObjectName key="o" object={object} />],
        ]}
      />
    </Section>
  );
}
