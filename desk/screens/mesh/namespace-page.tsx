import type { JSX } from "preact";
import type { NamespaceDetail, ServiceGroup } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { ColumnGraph, type GraphEdge } from "../../parts/column-graph.tsx";
import type { GraphLine } from "../../parts/column-layout.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Facts, Section } from "../../parts/table.tsx";
import { CallLegend } from "./call-legend.tsx";
import { Callers } from "./callers.tsx";
import { verdictWords } from "./call-words.ts";

const parent = { href: "/mesh", title: "Mesh" };
/** Names in a node of the graph. */
const shownNames = 8;

/** The services of one namespace, and who may call them. */
export function NamespacePage({ name }: { readonly name: string }): JSX.Element {
  const watched = useApi<NamespaceDetail>(pathTo("mesh", "namespaces", name), ({ type }) =>
    type === "configuration" ? "refetch" : undefined,
  );
  return (
    <Page title={`Namespace ${name}`} parent={parent}>
      <WhenReady watched={watched}>{(detail) => <Content detail={detail} />}</WhenReady>
    </Page>
  );
}

function Content({ detail }: { readonly detail: NamespaceDetail }): JSX.Element {
  const { name, services, endpoints, unhealthy, proxies, groups, rules } = detail;
  return (
    <>
      <Section title="About">
        <Facts
          facts={[
            [
              "Services",
              <Link key="s" href={`/mesh/services?namespace=${encodeURIComponent(name)}`}>
                {count(services)}
              </Link>,
            ],
            ["Endpoints", unhealthy === 0 ? count(endpoints) : `${count(endpoints)}, ${count(unhealthy)} unhealthy`],
            [
              "Proxies",
              <Link key="p" href={`/proxies?namespace=${encodeURIComponent(name)}`}>
                {count(proxies)}
              </Link>,
            ],
            ["Rules", rules.total === 0 ? "none" : <Rules key="r" rules={rules} />],
          ]}
        />
      </Section>
      <Section title="Who may call its services" aside={<span class="hint">by configuration</span>}>
        {groups.total === 0 ? (
          <Empty title="The namespace has no services.">
            <p>Its proxies may call services of other namespaces.</p>
          </Empty>
        ) : (
          <>
            <CallLegend />
            <ServiceGraph groups={groups.items} namespace={name} />
          </>
        )}
      </Section>
      {groups.items.map((group) => (
        <Section key={group.services.items[0] ?? ""} title={groupTitle(group)}>
          <Names group={group} namespace={name} />
          <Callers callers={group.callers} />
        </Section>
      ))}
    </>
  );
}

function Rules({ rules }: { readonly rules: NamespaceDetail["rules"] }): JSX.Element {
  return (
    <ul class="plain">
      {rules.items.map((rule) => (
        <li key={rule.id}>
          <ObjectName object={rule} />
        </li>
      ))}
    </ul>
  );
}

function groupTitle({ services: { items, total } }: ServiceGroup): string {
  return total === 1 ? (items[0] ?? "") : `${count(total)} services with the same callers`;
}

function Names({ group: { services }, namespace }: { readonly group: ServiceGroup; readonly namespace: string }) {
  if (services.total === 1) return null;
  return (
    <p>
      {services.items.map((hostname, index) => (
        <span key={hostname}>
          {index > 0 && ", "}
          <Link href={pathTo("mesh", "services", namespace, hostname)}>{hostname}</Link>
        </span>
      ))}
      {services.total > services.items.length && ` and ${count(services.total - services.items.length)} more`}
    </p>
  );
}

interface ServiceGraphProps {
  readonly groups: readonly ServiceGroup[];
  readonly namespace: string;
}

/** Callers with the same verdicts everywhere are one node, and so are services with the same callers. */
function ServiceGraph({ groups, namespace }: ServiceGraphProps): JSX.Element {
  const verdicts = new Map<string, string[]>();
  for (const { callers } of groups) {
    for (const { namespaces, verdict } of callers) {
      for (const each of namespaces) verdicts.set(each, [...(verdicts.get(each) ?? []), verdict]);
    }
  }
  const alike = Map.groupBy(verdicts.keys(), (each) => (verdicts.get(each) ?? []).join());
  const left = Array.from(alike.values(), (names) => ({ id: names[0] ?? "", lines: namespaceLines(names) }));
  const edges = groups.flatMap(({ callers }, index): readonly GraphEdge[] =>
    left.flatMap(({ id }) => {
      const caller = callers.find(({ namespaces }) => namespaces.includes(id));
      if (caller === undefined) return [];
      return [{ from: id, to: String(index), kind: caller.verdict, words: verdictWords[caller.verdict] }];
    }),
  );
  const right = groups.map(({ services }, index) => ({
    id: String(index),
    lines: [
      ...services.items.slice(0, shownNames).map((hostname) => ({
        text: hostname,
        href: pathTo("mesh", "services", namespace, hostname),
      })),
      ...moreLine(services.total, "service", "services"),
    ],
  }));
  return (
    <ColumnGraph
      label="Callers of the services; the lists below have the same content"
      left={{ title: "From namespaces", nodes: left }}
      right={{ title: "To services", nodes: right }}
      edges={edges}
      shown={edges}
    />
  );
}

function namespaceLines(names: readonly string[]): readonly GraphLine[] {
  return [
    ...names.slice(0, shownNames).map((name) => ({ text: name, href: pathTo("mesh", "namespaces", name) })),
    ...moreLine(names.length, "namespace", "namespaces"),
  ];
}

function moreLine(total: number, one: string, many: string): readonly GraphLine[] {
  return total <= shownNames ? [] : [{ text: `and ${counted(total - shownNames, one, many)}` }];
}
