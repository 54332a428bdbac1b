import type { JSX } from "preact";
import type { Overview } from "../../../src/desk/api/model/overview.ts";
import { Link } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { counted } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";

const words: Readonly<Record<Overview["health"], readonly [Tone, string]>> = {
  well: ["ok", "The mesh is well"],
  degraded: ["warning", "The mesh needs attention"],
  failing: ["error", "Something is broken"],
};

/** The answer to the first question, and the next steps. Only the short summary is read aloud when it changes. */
export function Health({ overview: { health, advice, proxies } }: { readonly overview: Overview }): JSX.Element {
  const [tone, sentence] = words[health];
  return (
    <section class={`health ${tone}`} aria-label="Health">
      <p class="health-line" role="status">
        <Status tone={tone}>{sentence}</Status>
      </p>
      <p class="hint">{summaryOf(proxies)}</p>
      {advice.length > 0 && (
        <>
          <h2>What to do next</h2>
          <ol class="advice">
            {advice.map(({ severity, text, action, link }) => (
              <li key={`${link} ${text}`}>
                <Status tone={severity}>{text}</Status>
                <p>
                  {action} <Show link={link} about={text} />
                </p>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** Leads to the place where the step is done, if the desk has that screen. */
function Show({ link, about }: { readonly link: string; readonly about: string }): JSX.Element | null {
  const [, screen = ""] = link.split(/[/?]/u);
  const known = useOffer(`/${screen || "overview"}`);
  if (!known || screen === "") return null;
  return (
    <Link href={link} label={`Show: ${about}`}>
      Show <Icon name="next" />
    </Link>
  );
}

function summaryOf({ total, synced, behind, rejecting }: Overview["proxies"]): string {
  if (total === 0) return "No proxy is connected.";
  if (synced === total) return `${counted(total, "proxy has", "proxies have")} the current configuration.`;
  const parts = [
    behind > 0 ? `${counted(behind, "is", "are")} behind` : "",
    rejecting > 0 ? `${counted(rejecting, "rejects", "reject")} configuration` : "",
  ];
  return `Of ${counted(total, "proxy", "proxies")}, ${parts.filter((part) => part !== "").join(" and ")}.`;
}
