import type { JSX } from "preact";
import type { ChangeDetail, ChangedObject } from "../../../src/desk/api/model/changes.ts";
import { useApi } from "../../app/use-api.ts";
import { Moment } from "../../parts/moment.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { Page } from "../../parts/page.tsx";
import { counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { titleOf } from "./change-list.tsx";
import { stateWords } from "./change-words.ts";
import { DeliveryStep } from "./delivery-step.tsx";
import { PushStep } from "./push-step.tsx";
import { Step } from "./step.tsx";

const parent = { href: "/changes", title: "Changes" };

/** One change, from the edited lines to the answers of the proxies. It moves while you look. */
export function ChangeStory({ id }: { readonly id: string }): JSX.Element {
  const watched = useApi<ChangeDetail>(`/changes/${encodeURIComponent(id)}`, (event) =>
    event.type === "changes" && event.changes.some((change) => change.id === id) ? "refetch" : undefined,
  );
  const title = watched.loaded.type === "ready" ? titleOf(watched.loaded.value) : `Change ${id}`;
  return (
    <Page title={title} parent={parent}>
      <WhenReady watched={watched}>{(change) => <Story change={change} />}</WhenReady>
    </Page>
  );
}

function Story({ change }: { readonly change: ChangeDetail }): JSX.Element {
  const [tone, words] = stateWords(change);
  const { objects } = change;
  return (
    <>
      <p class="lead" role="status">
        <Status tone={tone}>{words}</Status>
      </p>
      <ol class="story">
        <Step tone="ok" title={`${counted(objects.total, "object", "objects")} edited`}>
          <ul class="plain">
            {objects.items.map((object) => (
              <li key={object.id}>
                <Edited object={object} />
              </li>
            ))}
          </ul>
          {objects.total > objects.items.length && (
            <p class="hint">… of {counted(objects.total, "object", "objects")}</p>
          )}
        </Step>
        <Step tone="ok" title="Committed">
          <p>
            <Moment at={change.at} />
            {change.endpointsOnly ? ". Only endpoints changed, so the push was not delayed." : ""}
          </p>
        </Step>
        <PushStep change={change} />
        <DeliveryStep change={change} />
      </ol>
    </>
  );
}

const operations: Readonly<Record<ChangedObject["operation"], string>> = {
  added: "+ added",
  updated: "± updated",
  removed: "− removed",
};

function Edited({ object }: { readonly object: ChangedObject }): JSX.Element {
  return (
    <>
      <span class={`operation ${object.operation}`}>{operations[object.operation]}</span> <ObjectName object={object} />
    </>
  );
}
