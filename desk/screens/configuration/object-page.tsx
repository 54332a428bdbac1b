import type { JSX } from "preact";
import type { ObjectDetail, ObjectRefusal, ObjectState } from "../../../src/desk/api/model/configuration.ts";
import { Link, pathTo, withQuery } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Moment } from "../../parts/moment.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { Reference } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { counted, sentence } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { Generated } from "./generated.tsx";
import { YamlText } from "./yaml-text.tsx";

const parent = { href: "/configuration", title: "Configuration" };

export interface ObjectPageProps {
  readonly kind: string;
  /** `-` for objects of the whole cluster. */
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

/** One object: its text with issues in the margin, and what proxies get because of it. */
export function ObjectPage({ kind, namespace, name, query }: ObjectPageProps): JSX.Element {
  const path = pathTo("configuration", kind, namespace, name);
  const watched = useApi<ObjectDetail>(path, ({ type }) =>
    type === "configuration" || type === "proxies" ? "refetch" : undefined,
  );
  return (
    <Page title={`${kind} ${namespace === "-" ? "" : `${namespace}/`}${name}`} parent={parent}>
      <WhenReady watched={watched}>
        {(object) => (
          <>
            <Summary object={object} />
            <Quarantine refusals={object.quarantine} />
            <Text object={object} />
            <Generated path={path} generated={object.generated} query={query} />
            <Precedence object={object} />
          </>
        )}
      </WhenReady>
    </Page>
  );
}

const states: Readonly<Record<ObjectState, string>> = {
  "in use": "in use",
  "in quarantine": "proxies refuse the newest version: proxies like them keep the last one that they accepted",
  "earlier version in use":
    "the newest version is invalid: the last good one stays in use until the issues below are solved",
  replaced: "the policy is invalid: a policy that denies more is in use until the issues below are solved",
  "not in use": "the object is invalid, and no proxy gets it: solve the issues below",
};

function Summary({ object: { state, severity, issues } }: { readonly object: ObjectDetail }): JSX.Element {
  const tone: Tone = severity ?? "ok";
  const words = issues === 0 ? "no issues" : counted(issues, "issue", "issues");
  return (
    <p class="lead" role="status">
      <Status tone={state === "in use" ? tone : "error"}>{sentence(`${states[state]}, ${words}`)}</Status>
    </p>
  );
}

function Quarantine({ refusals }: { readonly refusals: readonly ObjectRefusal[] }): JSX.Element | null {
  if (refusals.length === 0) return null;
  return (
    <Section title="Proxies refuse it">
      {refusals.map(({ class: name = "", reason, since, keptFrom, instead }) => (
        <div class="refusal" key={`${name} ${reason}`}>
          <p>
            <Status tone="error">
              In quarantine{name !== "" && ` for ${name}`}
              {keptFrom !== undefined && `: ${counted(keptFrom, "proxy does", "proxies do")} not get it`}
            </Status>{" "}
            since <Moment at={since} />
          </p>
          <blockquote class="words">{reason}</blockquote>
          <p class="hint">{substitutes[instead]} A changed object is tried again.</p>
        </div>
      ))}
    </Section>
  );
}

const substitutes: Readonly<Record<ObjectRefusal["instead"], string>> = {
  "earlier version": "They get the version that they accepted last.",
  nothing: "They get nothing of this object.",
  denied: "They deny the requests that the object is about.",
};

function Text({ object }: { readonly object: ObjectDetail }): JSX.Element {
  const { yaml, firstLine, messages, written, inUse, reference, id, kind } = object;
  const mayExplain = useOffer("/explain");
  return (
    <Section title="Object" aside={reference !== undefined && <Reference at={reference} />}>
      {!written && yaml !== "" && <p class="hint">{kind === "Secret" ? hidden : printed}</p>}
      <YamlText yaml={yaml} firstLine={firstLine} messages={messages} />
      {inUse !== undefined && (
        <details>
          <summary>The version in use</summary>
          <YamlText yaml={inUse} firstLine={1} messages={[]} />
        </details>
      )}
      {mayExplain && yaml !== "" && kind !== "Secret" && (
        <p>
          <Link href={withQuery("/explain", { edit: id })}>Try an edit: what would happen to a request?</Link>
        </p>
      )}
    </Section>
  );
}

const hidden = "The values of a Secret are not shown.";
const printed = "There is no file with this object: the text is printed from the accepted object.";

function Precedence({ object: { precedence } }: { readonly object: ObjectDetail }): JSX.Element | null {
  if (precedence.length < 2) return null;
  return (
    <Section title="Sources with this object">
      <ol class="plain">
        {precedence.map(({ source, reference, wins }) => (
          <li key={`${source} ${reference}`}>
            <Status tone={wins ? "ok" : "off"}>{wins ? "wins" : "is ignored"}</Status> <code>{source}</code>{" "}
            {reference !== undefined && <Reference at={reference} />}
          </li>
        ))}
      </ol>
      <p class="hint">The first source of the server that has the object wins.</p>
    </Section>
  );
}
