import type { JSX } from "preact";
import type { HistoryMoment } from "../../../src/desk/api/model/history.ts";
import { Link, withQuery } from "../../app/router.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Reference } from "../../parts/object.tsx";
import type { MomentFieldsProps } from "./moment-fields.tsx";
import { momentTitle } from "./moment-words.ts";

/** Moments, the newest first. Each leads to what it changed. */
export function MomentList({ moments, chosen }: MomentFieldsProps): JSX.Element {
  return (
    <ol class="changes">
      {moments.map((moment) => (
        <li key={moment.number}>
          <Row moment={moment} isChosen={String(moment.number) === chosen.to} />
        </li>
      ))}
    </ol>
  );
}

function Row({ moment, isChosen }: { readonly moment: HistoryMoment; readonly isChosen: boolean }): JSX.Element {
  const { number, at, objects } = moment;
  const reference = objects.items[0]?.reference;
  return (
    <>
      <div class="change-what">
        <Link
          href={withQuery("/history", { from: String(number - 1), to: String(number) })}
          current={isChosen}
          title="Compare with the moment before"
        >
          {momentTitle(moment)}
        </Link>
        <span class="hint">
          <Moment at={at} />
          {reference !== undefined && (
            <>
              {" · "}
              <Reference at={reference} />
            </>
          )}
        </span>
      </div>
      <div class="change-how">
        <span class="hint">moment {number}</span>
      </div>
    </>
  );
}
