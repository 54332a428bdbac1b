import type { JSX } from "preact";
import type { ChangeDetail, ChangeRejection, Delivery, ProxyBehind } from "../../../src/desk/api/model/changes.ts";
import type { Shortened } from "../../../src/desk/api/model/listing.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { Meter } from "../../parts/meter.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { count, counted, duration } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { sharesOf, stateWords } from "./change-words.ts";
import { Step } from "./step.tsx";

/** The answers of the proxies. */
export function DeliveryStep({ change }: { readonly change: ChangeDetail }): JSX.Element | null {
  const { state, delivery, rejections, behind } = change;
  if (state.type === "waiting" || state.type === "not pushed" || state.type === "failed") return null;
  const [tone, words] = stateWords(change);
  return (
    <Step tone={tone} title={words.charAt(0).toUpperCase() + words.slice(1)}>
      {delivery !== undefined && delivery.sent > 0 && <Answers delivery={delivery} />}
      {rejections.items.map((rejection) => (
        <Refusal key={`${rejection.type} ${rejection.message}`} rejection={rejection} />
      ))}
      {behind.total > 0 && <Behind behind={behind} />}
    </Step>
  );
}

function Answers({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const shares = sharesOf(delivery);
  return (
    <>
      <Meter shares={shares} label="Answers" />
      <ul class="counts inline">
        {shares.map(({ tone, word, value }) => (
          <li key={word}>
            <Status tone={value === 0 ? "off" : tone}>
              <b>{count(value)}</b> {word}
            </Status>
          </li>
        ))}
      </ul>
      {delivery.latency !== undefined && (
        <p class="hint">
          From the commit to the acknowledgement: half of the proxies within {duration(delivery.latency.p50)}, 99 of 100
          within {duration(delivery.latency.p99)}, the last after {duration(delivery.latency.last)}.
        </p>
      )}
    </>
  );
}

function Refusal({ rejection }: { readonly rejection: ChangeRejection }): JSX.Element {
  const { type, message, resources, objects, proxies, nodes, quarantined } = rejection;
  return (
    <div class="refusal">
      <p>
        <Status tone="error">
          {proxies === undefined ? "Proxies rejected" : `${counted(proxies, "proxy", "proxies")} rejected`} {type}
        </Status>
        {quarantined && (
          <Status tone="warning">in quarantine: proxies like these keep the last accepted version</Status>
        )}
      </p>
      <blockquote class="words">{message}</blockquote>
      {objects.length > 0 && <Causes objects={objects} />}
      {resources.length > 0 && (
        <p class="hint">
          Resources: <code>{resources.join(", ")}</code>
        </p>
      )}
      <p class="hint">
        <Nodes nodes={nodes} total={proxies ?? nodes.length} />
      </p>
    </div>
  );
}

/** One resource may be made from many objects, and the proxy names only the resource. */
function Causes({ objects }: Pick<ChangeRejection, "objects">): JSX.Element {
  return (
    <>
      <p>
        {objects.length === 1 ? "Caused by" : "The rejected resources are made from these objects, and perhaps others:"}
      </p>
      <ul class="plain">
        {objects.map((object) => (
          <li key={object.id}>
            <ObjectName object={object} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Nodes({ nodes, total }: { readonly nodes: readonly string[]; readonly total: number }): JSX.Element {
  return (
    <>
      {nodes.map((node, index) => (
        <span key={node}>
          {index > 0 && ", "}
          <Link href={pathTo("proxies", node)}>{node}</Link>
        </span>
      ))}
      {total > nodes.length && ` and ${count(total - nodes.length)} more`}
    </>
  );
}

function Behind({ behind: { items, total } }: { readonly behind: Shortened<ProxyBehind> }): JSX.Element {
  return (
    <details open={total <= 5}>
      <summary>{counted(total, "proxy has", "proxies have")} not answered</summary>
      <ul class="plain">
        {items.map(({ node, types }) => (
          <li key={node}>
            <Link href={pathTo("proxies", node)}>{node}</Link> <span class="hint">waits for {types.join(", ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
