import type { JSX } from "preact";
import type { ProxyDetail, QuarantinedObject } from "../../../src/desk/api/model/proxies.ts";
import { Moment } from "../../parts/moment.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";

/** The proxy's own words about configuration that it refuses, and objects that are kept away from it. */
export function Refused({ proxy: { rejections, quarantined } }: { readonly proxy: ProxyDetail }): JSX.Element | null {
  if (rejections.length === 0 && quarantined.length === 0) return null;
  return (
    <Section title="Refused configuration">
      {rejections.map(({ type, message, resources, objects }) => (
        <div class="refusal" key={`${type} ${message}`}>
          <p>
            <Status tone="error">The proxy rejects {type}</Status>
          </p>
          <blockquote class="words">{message}</blockquote>
          {objects.map((object) => (
            <p key={object.id}>
              Caused by <ObjectName object={object} />
            </p>
          ))}
          {resources.length > 0 && (
            <p class="hint">
              Resources: <code>{resources.join(", ")}</code>
            </p>
          )}
        </div>
      ))}
      {quarantined.map((entry) => (
        <div class="refusal" key={entry.object.id}>
          <p>
            <Status tone="warning">In quarantine</Status> <ObjectName object={entry.object} /> since{" "}
            <Moment at={entry.since} />
          </p>
          <blockquote class="words">{entry.reason}</blockquote>
          <p class="hint">{substitutes[entry.instead]}</p>
        </div>
      ))}
    </Section>
  );
}

const substitutes: Readonly<Record<QuarantinedObject["instead"], string>> = {
  "earlier version": "The proxy gets the version of the object that proxies like it accepted last.",
  nothing: "The proxy gets nothing of this object.",
  denied: "The proxy denies the requests that the object is about.",
};
