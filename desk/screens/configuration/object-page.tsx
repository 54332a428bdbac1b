import type { JSX } from "preact";
import type { GeneratedFrom, ObjectDetail } from "../../../src/desk/api/model/configuration.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Empty, WhenReady } from "../../parts/notice.tsx";
import { Reference } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";
import { YamlText } from "./yaml-text.tsx";

const parent = { href: "/configuration", title: "Configuration" };

export interface ObjectPageProps {
  readonly kind: string;
  /** `-` for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** One object: its text with issues in the margin, and what proxies get because of it. */
export function ObjectPage({ kind, namespace, name }: ObjectPageProps): JSX.Element {
  const watched = useApi<ObjectDetail>(pathTo("configuration", kind, namespace, name), ({ type }) =>
    type === "configuration" || type === "proxies" ? "refetch" : undefined,
  );
  return (
    <Page title={`${kind} ${namespace === "-" ? "" : `${namespace}/`}${name}`} parent={parent}>
      <WhenReady watched={watched}>{(object) => <Content object={object} />}</WhenReady>
    </Page>
  );
}

function Content({ object }: { readonly object: ObjectDetail }): JSX.Element {
  const { messages, quarantine, precedence, yaml, firstLine, generated } = object;
  return (
    <>
      {messages.length === 0 && quarantine === undefined && (
        <p class="lead">
          <Status tone="ok">No issues</Status>
        </p>
      )}
      {quarantine !== undefined && (
        <section class="refusal" aria-label="Quarantine">
          <p class="lead">
            <Status tone="error">
              In quarantine: {counted(quarantine.keptFrom, "proxy does", "proxies do")} not get it
            </Status>
          </p>
          <blockquote class="words">{quarantine.reason}</blockquote>
        </section>
      )}
      <Section title="Object" aside={object.reference !== undefined && <Reference at={object.reference} />}>
        <YamlText yaml={yaml} firstLine={firstLine} messages={messages} />
      </Section>
      <Generated generated={generated} />
      {precedence.length > 1 && (
        <Section title="Sources with this object">
          <ol class="plain">
            {precedence.map(({ source, reference, wins }) => (
              <li key={`${source} ${reference}`}>
                <Status tone={wins ? "ok" : "off"}>{wins ? "wins" : "hidden"}</Status> <code>{source}</code>{" "}
                {reference !== undefined && <Reference at={reference} />}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  );
}

const columns = [{ title: "Type" }, { title: "Resource" }, { title: "Proxies", kind: "number" }] as const;

function Generated({
  generated: { proxies, upToDate, resources, nodes },
}: {
  readonly generated: GeneratedFrom;
}): JSX.Element {
  return (
    <Section
      title="Generated from it"
      aside={
        proxies > 0 && (
          <Status tone={upToDate === proxies ? "ok" : "wait"}>
            {count(upToDate)} of {counted(proxies, "proxy is", "proxies are")} up to date
          </Status>
        )
      }
    >
      {resources.total === 0 ? (
        <Empty title="No connected proxy has a resource that names this object." />
      ) : (
        <>
          <Table label="Generated resources" columns={columns}>
            {resources.items.map(({ type, name, proxies: holders }) => (
              <tr key={`${type} ${name}`}>
                <td>{type}</td>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td class="number">{count(holders)}</td>
              </tr>
            ))}
          </Table>
          {resources.total > resources.items.length && (
            <p class="hint">
              The first {count(resources.items.length)} of {count(resources.total)} resources.
            </p>
          )}
          <p class="hint">
            For{" "}
            {nodes.map((node, index) => (
              <span key={node}>
                {index > 0 && ", "}
                <Link href={pathTo("proxies", node)}>{node}</Link>
              </span>
            ))}
            {proxies > nodes.length && ` and ${count(proxies - nodes.length)} more`}
          </p>
        </>
      )}
    </Section>
  );
}
