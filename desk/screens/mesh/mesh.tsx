import type { JSX } from "preact";
import type { ViewProps } from "../../app/view.ts";
import { Conflicts } from "./conflicts.tsx";
import { Gateways } from "./gateways.tsx";
import { NamespacePage } from "./namespace-page.tsx";
import { Namespaces } from "./namespaces.tsx";
import { ServiceList } from "./service-list.tsx";
import { ServicePage } from "./service-page.tsx";

/** Namespaces, services, gateways and conflicts: lists, and one page for each namespace and service. */
export function Mesh({ path: [list = "", namespace, hostname], query }: ViewProps): JSX.Element {
  if (list === "namespaces" && namespace !== undefined) return <NamespacePage name={namespace} />;
  if (list === "services" && namespace !== undefined && hostname !== undefined)
    return <ServicePage namespace={namespace} hostname={hostname} />;
  if (list === "services") return <ServiceList query={query} />;
  if (list === "gateways") return <Gateways query={query} />;
  if (list === "conflicts") return <Conflicts />;
  return <Namespaces query={query} />;
}
