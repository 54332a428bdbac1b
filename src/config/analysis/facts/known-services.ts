import type { Labels } from "../../config.ts";
import { fullHostname, isWildcard } from "../../grammar/hostname.ts";
import { service } from "../../kinds/kubernetes.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { exportedTo } from "../../mesh/mesh-service.ts";
import type { AnalysisInput } from "../analyzer.ts";
import { everywhere, exportScopes } from "./export-scope.ts";
import { askedWildcards, HostIndex } from "./host-index.ts";

/** A service that rules can name, from any source. */
export interface KnownService {
  readonly hostname: string;
  readonly namespace: string;
  readonly ports: readonly number[];
  /** Selects the workloads of its namespace that serve it; absent if labels do not decide it. */
  readonly selector: Labels | undefined;
  /** The labels of endpoints that are listed one by one. */
  readonly endpoints: readonly Labels[];
}

interface PlacedWildcard {
  readonly known: KnownService;
  /** The service with the lowest number wins. */
  readonly order: number;
}

/** The namespace of a rule, and the namespaces it is exported to. */
interface RuleScope {
  readonly namespace: string;
  readonly exportTo: readonly string[];
}

/** The kinds that {@link KnownServices} reads. */
export const serviceKinds = [service, serviceEntry];

/** Services by name and by the namespaces that may see them. */
export class KnownServices {
  readonly #byScope = new Map<string, Map<string, KnownService>>();
  readonly #wildcards = new Map<string, HostIndex<PlacedWildcard>>();
  #added = 0;
  readonly #domain: string;

  constructor(input: AnalysisInput) {
    this.#domain = input.domain;
    for (const { namespace, spec } of input.all(serviceEntry)) {
      const rest = {
        namespace,
        ports: spec.ports.map(({ number }) => number),
        selector: spec.workloadSelector?.labels,
        endpoints: spec.endpoints.map(({ labels }) => labels),
      };
      for (const hostname of spec.hosts) this.#add({ hostname, ...rest }, exportScopes(spec.exportTo, namespace));
    }
    for (const { namespace, name, annotations, spec } of input.all(service)) {
      const hostname = fullHostname(name, namespace, this.#domain);
      const ports = spec.ports.map(({ port }) => port);
      const selector = Object.keys(spec.selector).length > 0 ? spec.selector : undefined;
      const scopes = exportScopes(exportedTo(annotations), namespace);
      this.#add({ hostname, namespace, ports, selector, endpoints: [] }, scopes);
    }
  }

  /**
   * Finds the service of a host in a rule. Short names are relative to the rule's namespace. The service must be
   * visible where the rule applies: in the namespaces that the rule is exported to, or else in its own.
   */
  find(host: string, { namespace, exportTo }: RuleScope): KnownService | undefined {
    const hostname = fullHostname(host, namespace, this.#domain);
    const users = exportTo.length === 0 ? [namespace] : exportScopes(exportTo, namespace);
    for (const scope of [everywhere, ...users]) {
      const exact = this.#byScope.get(scope)?.get(hostname);
      if (exact !== undefined) return exact;
    }
    const groups = [everywhere, namespace].flatMap((scope) => this.#wildcards.get(scope)?.groups(hostname) ?? []);
    const covering = groups.flatMap(([first]) => (first === undefined ? [] : [first]));
    return covering.toSorted((a, b) => a.order - b.order)[0]?.known;
  }

  #addWildcard(scope: string, known: KnownService): void {
    const index = this.#wildcards.get(scope) ?? new HostIndex<PlacedWildcard>(askedWildcards([]));
    this.#wildcards.set(scope, index);
    index.add(known.hostname, { known, order: this.#added });
    this.#added += 1;
  }

  #add(known: KnownService, scopes: readonly string[]): void {
    for (const scope of scopes) {
      const inScope = this.#byScope.get(scope) ?? new Map<string, KnownService>();
      this.#byScope.set(scope, inScope.set(known.hostname, known));
      if (isWildcard(known.hostname)) this.#addWildcard(scope, known);
    }
  }
}
